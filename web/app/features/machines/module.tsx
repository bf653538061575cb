import { useMachines } from '../../lib/machines/answers.ts'
import { deferred } from '../../ui/deferred.tsx'
import { Server } from '../../ui/icons.ts'

const MachinesPage = deferred('MachinesPage', () => import('./machines-page.tsx'))
const MachinePage = deferred('MachinePage', () => import('./machine-page.tsx'))
const BundleMachines = deferred('BundleMachines', () => import('./bundle-machines.tsx'))

type MachineParams = { id?: string | undefined; view?: string | undefined }

export const pages = [
  { path: '/machines', page: () => <MachinesPage /> },
  {
    path: '/machines/:id/:view?',
    page: ({ id = '', view }: MachineParams) => <MachinePage key={id} id={id} view={view} />,
  },
]

export const environmentPart = { name: 'machines', label: 'Machines', icon: Server, Part: BundleMachines }

/** Machines are in the log beside people. */
export const useActors = () => useMachines().data

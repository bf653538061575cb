import type { SessionState } from '../../lib/calls/answers.ts'
import { useSession } from '../../lib/data/me.ts'
import { deferred } from '../../ui/deferred.tsx'

const OwnAccount = deferred('OwnAccount', () => import('./own-account.tsx'))
const SetUpPage = deferred('SetUpPage', () => import('./set-up-page.tsx'))
const SignInPage = deferred('SignInPage', () => import('./sign-in-page.tsx'))
const SignUpPage = deferred('SignUpPage', () => import('./sign-up-page.tsx'))

export const pages = [] as const

export const signedOutPages = ({ setup_required }: SessionState) =>
  setup_required
    ? [{ path: '/*', page: () => <SetUpPage /> }]
    : [
        { path: '/sign-in', page: () => <SignInPage /> },
        { path: '/sign-up', page: () => <SignUpPage /> },
      ]

export function SignInSection() {
  return useSession().data?.auth_mode === 'accounts' ? <OwnAccount /> : null
}

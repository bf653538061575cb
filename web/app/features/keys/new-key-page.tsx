import { useLocation } from 'wouter'
import { KeyForm } from '../../ui/key-form.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Creates a key of the library. */
export function NewKeyPage() {
  const [, navigate] = useLocation()
  return (
    <div className="max-w-xl">
      <PageHeading title="New key" />
      <KeyForm
        submitLabel="Create key"
        onCreated={({ id, name }) => {
          navigate(`/keys/${id}`)
          notify({ text: `Created ${name}. Attach it to a bundle to use it.` })
        }}
        onCancel={() => navigate('/keys')}
      />
    </div>
  )
}

import { type ReactNode, useEffect, useState } from 'react'
import { Redirect, Route, Router, Switch, useLocation, useSearch } from 'wouter'
import { BundleRedirect } from './features/application/redirects.tsx'
import { Frame } from './features/frame/frame.tsx'
import { SessionDialog } from './features/frame/session-dialog.tsx'
import { HomePage } from './features/home/home-page.tsx'
import { PAGE_MODULES } from './features/joined-modules.ts'
import type { SessionState } from './lib/calls/answers.ts'
import { enterPerson } from './lib/calls/person.ts'
import { workspacePath } from './lib/calls/workspace.ts'
import { useMe, useSession } from './lib/data/me.ts'
import { useWorkspace } from './lib/data/workspaces.ts'
import { leaveFor } from './lib/page/unsaved.ts'
import { deferred } from './ui/deferred.tsx'
import { FailureBoundary } from './ui/failure-boundary.tsx'
import { LoadingState } from './ui/loaded.tsx'
import { Toasts } from './ui/toasts.tsx'

const ApplicationPage = deferred(
  'ApplicationPage',
  () => import('./features/application/application-page.tsx'),
)
const KeyPage = deferred('KeyPage', () => import('./features/keys/key-page.tsx'))
const BringInPage = deferred('BringInPage', () => import('./features/import/bring-in-page.tsx'))
const ExpiryPage = deferred('ExpiryPage', () => import('./features/expiry/expiry-page.tsx'))
const ActivityPage = deferred('ActivityPage', () => import('./features/activity/activity-page.tsx'))
const DeliveryPage = deferred('DeliveryPage', () => import('./features/activity/delivery-page.tsx'))
const RulesPage = deferred('RulesPage', () => import('./features/rules/rules-page.tsx'))
const MembersPage = deferred('MembersPage', () => import('./features/members/members-page.tsx'))
const ForeignWorkspacePage = deferred(
  'ForeignWorkspacePage',
  () => import('./features/home/workspace-pages.tsx'),
)
const ProposalPage = deferred('ProposalPage', () => import('./features/waiting/proposal-page.tsx'))
const NoWorkspacePage = deferred('NoWorkspacePage', () => import('./features/home/workspace-pages.tsx'))
const InvitePage = deferred('InvitePage', () => import('./features/members/invite-page.tsx'))
const SettingsPage = deferred('SettingsPage', () => import('./features/settings/settings-page.tsx'))
const WelcomePage = deferred('WelcomePage', () => import('./features/home/welcome-page.tsx'))
const NotFoundPage = deferred('NotFoundPage', () => import('./features/home/not-found-page.tsx'))
const TouchSheets = deferred('TouchSheets', () => import('./features/frame/touch-sheet.tsx'))
const Palette = deferred('Palette', () => import('./features/palette/palette.tsx'))

const BRING_IN = ['import', 'duplicate', 'move'] as const

/** Every address of the app and the page behind it. */
export function Routes() {
  const session = useSession()
  if (session.data === undefined) {
    return (
      <main className="mx-auto max-w-wide px-4">
        <LoadingState query={session} what="Keyferry" />
      </main>
    )
  }
  // The server shows that page to a person who is signed in only if they sign in again.
  if (session.data.signed_in && location.pathname !== '/sign-in') return <SignedIn />
  return (
    <Framed signedIn={false} inWorkspace={false}>
      <SignedOutPages session={session.data} />
    </Framed>
  )
}

function SignedIn() {
  const [path] = useLocation()
  const me = useMe().data
  useEffect(() => {
    if (me !== undefined) enterPerson(me.user_id)
  }, [me])
  const workspace = useWorkspace(!path.startsWith('/invite/'))
  if (workspace.id !== null) {
    return (
      <Router base={workspacePath(workspace.id, '')} aroundNav={leaveFor}>
        <Framed signedIn inWorkspace={workspace.isMember}>
          {workspace.isMember ? <WorkspacePages /> : <ForeignWorkspacePage />}
        </Framed>
      </Router>
    )
  }
  return (
    <Framed signedIn inWorkspace={false}>
      <Switch>
        <Route path="/invite/:token">{({ token }) => <InvitePage token={token} />}</Route>
        <Route>
          {workspace.hasNone ? (
            <NoWorkspacePage />
          ) : (
            <LoadingState query={workspace.query} what="your workspaces" />
          )}
        </Route>
      </Switch>
    </Framed>
  )
}

type FramedProps = { signedIn: boolean; inWorkspace: boolean; children: ReactNode }

function Framed({ signedIn, inWorkspace, children }: FramedProps) {
  const [path] = useLocation()
  const [paletteOpen, setPaletteOpen] = useState(false)
  return (
    <>
      <Frame signedIn={signedIn} inWorkspace={inWorkspace} onPalette={() => setPaletteOpen(true)}>
        <FailureBoundary key={path}>{children}</FailureBoundary>
      </Frame>
      {paletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
      <SessionDialog />
      {signedIn && <TouchSheets />}
      <Toasts />
    </>
  )
}

function WorkspacePages() {
  const [path] = useLocation()
  return (
    <Switch>
      <Route path="/" component={HomePage} />
      <Route path="/bundles" component={ToHome} />
      {BRING_IN.map((source) => (
        <Route key={source} path={`/bundles/${source}`}>
          <BringInPage source={source} />
        </Route>
      ))}
      <Route path="/bundles/:id/:view?">{({ id, view }) => <BundleRedirect id={id} part={view} />}</Route>
      <Route path="/apps/*">{({ '*': name }) => <ApplicationPage name={name} />}</Route>
      <Route path="/keys/:id/:view?">{({ id, view }) => <KeyPage key={id} id={id} view={view} />}</Route>
      <Route path="/expiry" component={ExpiryPage} />
      <Route path="/activity" component={ActivityPage} />
      <Route path="/activity/deliveries/:id">{({ id }) => <DeliveryPage key={id} id={id} />}</Route>
      <Route path="/waiting" component={ToHome} />
      <Route path="/waiting/:id">{({ id }) => <ProposalPage key={id} id={id} />}</Route>
      <Route path="/rules" component={RulesPage} />
      <Route path="/settings">
        <SettingsPage part="account" />
      </Route>
      <Route path="/settings/workspace">
        <SettingsPage part="workspace" />
      </Route>
      {PAGE_MODULES.flatMap(({ pages }) => pages).map(toRoute)}
      <Route path="/members" component={MembersPage} />
      <Route path="/account">
        <Moved to="/settings" />
      </Route>
      <Route path="/sign-in">
        <Redirect to="/" />
      </Route>
      <Route>
        <NotFoundPage path={path} />
      </Route>
    </Switch>
  )
}

/** Addresses that the client and mails print lead to a page, with what they say after the `?`. */
function Moved({ to }: { to: string }) {
  const fields = useSearch()
  return <Redirect replace to={fields === '' ? to : `${to}?${fields}`} />
}

const ToHome = () => <Moved to="/" />

function SignedOutPages({ session }: { session: SessionState }) {
  const [path] = useLocation()
  return (
    <Switch>
      {PAGE_MODULES.flatMap(({ signedOutPages }) => signedOutPages?.(session) ?? []).map(toRoute)}
      <Route path="/" component={WelcomePage} />
      <Route>
        <NotFoundPage path={path} />
      </Route>
    </Switch>
  )
}

function toRoute({ path, page }: (typeof PAGE_MODULES)[number]['pages'][number]) {
  return (
    <Route key={path} path={path}>
      {page}
    </Route>
  )
}

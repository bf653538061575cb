import { requestOfPage, takeWayBack } from './features/approval/way-back.ts'
import { applyTheme, chosenTheme } from './lib/page/theme.ts'

applyTheme(chosenTheme())
// A sign-in elsewhere would lose the fragment of this page's address, and the sign-in's page could read it.
takeWayBack(requestOfPage())
const signIn = document.querySelector<HTMLAnchorElement>('a#sign-in')
if (signIn !== null) location.replace(signIn.href)

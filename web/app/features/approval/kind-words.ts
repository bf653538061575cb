import type { RequestContext } from '../../lib/calls/answers.ts'
import type { Choice, RequestKind } from './request-state.ts'

type KindWords = {
  /** Title of the page. */
  title: (context: RequestContext) => string
  /** What the terminal gets, where that needs saying. */
  lead?: string
  /** Who gets something, where the approval returns to this computer. */
  toHere?: string
  /** Why Approve can do nothing yet. */
  notYet: { none: string; loading: string; failed: string }
  /** What an AI agent learns. */
  agent: (readsItself: boolean) => string
  /** The action of the second question. */
  anyway: string
  /** What the second question says where a web page led here, before it asks who ran the command. */
  linked: string
  /** What approving does with a bundle. */
  verb: string
  /** Why a terminal elsewhere is refused. */
  onlyHere: string
  /** What is true until the approval has returned. */
  nothingYet: string
  /** What was approved, counted: `3` `key` `from`. */
  counted: readonly [thing: string, where: string]
  /** After approving, and once the terminal knows. */
  approved: { title: string; text: string }
  delivered: { title: string; text: string }
}

const WHOSE = 'and it may belong to someone else.'
const CLOSE = 'You can close this page.'

/** What the page says of each kind of request. */
export const WORDS: Readonly<Record<RequestKind, KindWords>> = {
  delivery: {
    title: () => 'Approve this request?',
    toHere: 'Only this computer gets the values',
    notYet: {
      none: 'Choose a bundle first.',
      loading: 'The variables are still loading.',
      failed: 'The variables of this bundle could not be loaded.',
    },
    agent: (readsItself) =>
      readsItself
        ? 'It reads every value itself, and its transcript keeps them.'
        : 'It can read everything that this program prints.',
    anyway: 'Approve anyway',
    linked: `A web page linked you here. If you approve, the terminal that made this request gets the values, ${WHOSE}`,
    verb: 'share',
    onlyHere: 'These values are delivered only to a terminal on the computer of your browser.',
    nothingYet: 'The terminal has no values yet.',
    counted: ['variable', 'from'],
    approved: {
      title: 'Approved',
      text: 'The values are encrypted for this terminal. This page tells you when it has fetched them.',
    },
    delivered: {
      title: 'Delivered',
      text: `The terminal has fetched the values, and the server has deleted its copy. If the client left out a name, the terminal says so. ${CLOSE}`,
    },
  },
  deposit: {
    title: ({ deposit }) =>
      deposit?.entries.length === 0 ? 'Remove these variables?' : 'Store these values on the server?',
    notYet: {
      none: 'Choose a workspace first.',
      loading: 'The plan is still loading.',
      failed: 'The plan could not be loaded.',
    },
    agent: () => 'It may have chosen the values, and it may know them.',
    anyway: 'Approve anyway',
    linked:
      'A web page linked you here, so another person may have made this request. If you approve, the server stores their changes.',
    verb: 'change',
    onlyHere:
      'These values are stored only if the approval returns to a terminal on the computer of your browser.',
    nothingYet: 'Nothing has changed yet.',
    counted: ['variable', 'changed in'],
    approved: { title: 'Changes stored', text: 'The terminal shows this within seconds.' },
    delivered: { title: 'Changes stored', text: `The terminal shows the result. ${CLOSE}` },
  },
  names: {
    title: () => 'List these names?',
    lead: 'The terminal gets names only, and no value.',
    toHere: 'Only this computer gets the names',
    notYet: {
      none: 'Choose a bundle first.',
      loading: 'The list is still loading.',
      failed: 'The list could not be loaded.',
    },
    agent: () => 'It reads these names itself, and its transcript keeps them.',
    anyway: 'List anyway',
    linked: `A web page linked you here. If you approve, the terminal that made this request gets the names, ${WHOSE}`,
    verb: 'list',
    onlyHere: 'These names are listed only in a terminal on the computer of your browser.',
    nothingYet: 'The terminal has no names yet.',
    counted: ['name', 'of'],
    approved: {
      title: 'Approved',
      text: 'The list is encrypted for this terminal. This page tells you when it has fetched it.',
    },
    delivered: { title: 'Listed', text: `The terminal has the list. No value left the server. ${CLOSE}` },
  },
}

/** What the page says where the person can only ask others. */
export const ASKING = {
  title: 'Ask for this approval?',
  action: {
    owner_approves: 'This is my terminal: ask an owner',
    named_approves: 'This is my terminal: ask for approval',
  },
  anyway: 'Ask anyway',
  linked: `A web page linked you here. If others approve, the terminal that made this request gets the values, ${WHOSE}`,
  verb: 'ask for',
} as const

/** The title where the person can only propose what the terminal wants to store. */
export const PROPOSING = 'Propose these changes?'

/** What the page says of each kind of choice after approving. */
export const DONE: Readonly<Record<Choice['kind'], Pick<KindWords, 'counted' | 'approved' | 'delivered'>>> = {
  ...WORDS,
  vouch: {
    counted: ['variable', 'of'],
    approved: { title: 'Approved', text: 'The values are encrypted for your terminal.' },
    delivered: WORDS.delivery.delivered,
  },
  proposal: {
    counted: ['variable', 'proposed for'],
    approved: { title: 'Proposed', text: 'The owners decide. The terminal shows this within seconds.' },
    delivered: {
      title: 'Proposed',
      text: `The owners decide. The list “Waiting for you” shows what became of it. ${CLOSE}`,
    },
  },
}

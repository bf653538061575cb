import { expect, test } from 'vitest'
import { mailText } from './mail-text.ts'

const text = (line: string) =>
  mailText(
    'waiting',
    { lines: [line], link: { label: 'Open', path: '/approve/a?b=1&c="2"' } },
    'https://kf.test',
  )

test('what a person chose is text in a mail, and no markup', () => {
  const { html, text: plain } = text(`a & b <b title="x">'c'</b>`)
  expect(html).toContain(`<p>a &amp; b &lt;b title=&quot;x&quot;&gt;'c'&lt;/b&gt;</p>`)
  expect(html).toContain('href="https://kf.test/approve/a?b=1&amp;c=&quot;2&quot;"')
  expect(plain).toContain(`a & b <b title="x">'c'</b>`)
})

test.each([
  [
    'invitation',
    'You are invited to a Keyferry workspace',
    'If you do not know this workspace, ignore this mail.',
  ],
  ['waiting', 'Somebody waits for your approval', 'Switch these mails off: https://kf.test/account'],
  ['key_expires', 'Values expire soon', 'Switch these mails off: https://kf.test/account'],
  ['signed_in', 'New sign-in to your Keyferry account', 'Switch these mails off: https://kf.test/account'],
  ['remembered', 'An approval in your name is remembered', 'Switch these mails off: https://kf.test/account'],
  ['proof', 'Prove your address for Keyferry', 'If you have no account there, ignore this mail.'],
  ['account', 'Your Keyferry account changed', 'You cannot switch these mails off.'],
] as const)('a mail of the kind %s: its subject, and how to end such mails', (kind, subject, end) => {
  const mail = mailText(kind, { lines: [], link: { label: 'Open', path: '/' } }, 'https://kf.test')
  expect(mail).toMatchObject({ subject, text: `Open: https://kf.test/\n\n${end}\n` })
  expect(mail.html).toContain(`<p>${end}</p>`)
})

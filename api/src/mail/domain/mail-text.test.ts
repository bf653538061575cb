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

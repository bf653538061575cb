import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { of } from '../test/static-words.ts'
import { Spark } from './spark.tsx'

test('each day has a bar at its place: a line for none, else as high as its share, and today stands out', () => {
  const html = renderToStaticMarkup(of(Spark, { days: [0, 3, 100, 50], className: '' }))
  const paths = [...html.matchAll(/<path d="([^"]*)" class="([^"]*)"/g)].map(([, d, look]) => [look, d])
  expect(paths).toEqual([
    ['fill-line', 'M0 20v-1.0h2.6V20z'],
    ['fill-bar', 'M4 20v-3.0h2.6V20zM8 20v-20.0h2.6V20z'],
    ['fill-accent', 'M12 20v-10.0h2.6V20z'],
  ])
})

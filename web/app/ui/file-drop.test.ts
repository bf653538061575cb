import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { useTextFile } from './file-drop.tsx'

type Dropping = ReturnType<typeof useTextFile>['dropping']

/** Whether the area looks ready for the file after these steps, which follow each other while the page renders. */
function isOverAfter(...steps: readonly ((dropping: Dropping) => void)[]): boolean {
  const left = [...steps]
  let isOver = false
  const Area = () => {
    const { over, dropping } = useTextFile(() => undefined)
    left.shift()?.(dropping)
    isOver = over
    return null
  }
  renderToStaticMarkup(createElement(Area))
  return isOver
}

test('an area shows that it takes a file, as long as one is dragged over it', () => {
  const event = { preventDefault: () => undefined, dataTransfer: { files: [] } } as never
  const over = ({ onDragOver }: Dropping) => onDragOver(event)
  expect(isOverAfter()).toBe(false)
  expect(isOverAfter(over)).toBe(true)
  expect(isOverAfter(over, ({ onDragLeave }) => onDragLeave())).toBe(false)
  expect(isOverAfter(over, ({ onDrop }) => onDrop(event))).toBe(false)
})

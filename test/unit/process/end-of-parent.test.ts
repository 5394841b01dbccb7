import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { endOfParent, type Parent } from '../../../src/process/end-of-parent.ts'

/** A pipe as standard input is one, and a parent that a test changes. */
function world(): Parent & { readonly pipe: PassThrough; parentId: number } {
  const pipe = new PassThrough()
  const input: Parent['input'] = Object.assign(pipe, { unref: () => pipe }) as unknown as NonNullable<Parent['input']>
  const parent = { pipe, input, parentId: 7, id: (): number => parent.parentId }
  return parent
}

describe('the end of the program that has started this one', () => {
  it('is told by the end of standard input, whatever has been written to it', async () => {
    const parent = world()
    const end = endOfParent(parent, 60_000)
    parent.pipe.write('nothing of interest\n')
    parent.pipe.end()
    expect(await end).to.equal('standard input has ended')
  })

  it('is told by another parent', async () => {
    const parent = world()
    const end = endOfParent({ input: undefined, id: () => parent.id() }, 1)
    parent.parentId = 1
    expect(await end).to.equal('the program that started this one has ended')
  })

  it('is not told while both are as they were', async () => {
    const parent = world()
    let looks = 0
    let told = false
    const looked = new Promise<void>(resolve => {
      const id = (): number => {
        if (++looks === 5) resolve()
        return 7
      }
      void endOfParent({ input: parent.input, id }, 1).then(() => {
        told = true
      })
    })
    await looked
    expect(told).to.equal(false)
    parent.pipe.end()
  })
})

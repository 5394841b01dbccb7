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

describe('endOfParent', () => {
  it('resolves when standard input ends, whatever was written to it', async () => {
    const parent = world()
    const end = endOfParent(parent, 60_000)
    parent.pipe.write('nothing of interest\n')
    parent.pipe.end()
    expect(await end).to.equal('standard input has ended')
  })

  it('resolves when the parent process id changes', async () => {
    const parent = world()
    const end = endOfParent({ input: undefined, id: () => parent.id() }, 1)
    parent.parentId = 1
    expect(await end).to.equal('the program that started this one has ended')
  })

  it('does not resolve while neither changes', async () => {
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

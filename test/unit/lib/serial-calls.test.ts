import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { serialCalls } from '../../../src/lib/serial-calls.ts'

describe('serialCalls', () => {
  it('makes each call after the one before has ended, and goes on after one that rejects', async () => {
    const notes: string[] = []
    const inTurn = serialCalls(async () => {
      await turn()
      notes.push('after')
    })
    const work = (name: string) => async (): Promise<string> => {
      notes.push(`begin ${name}`)
      await turn()
      notes.push(`end ${name}`)
      if (name === 'b') throw new Error('failed')
      return name
    }
    const results = await Promise.allSettled(['a', 'b', 'c'].map(name => inTurn(work(name))))
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled'])
    expect(notes.slice(0, 8)).to.deep.equal(['begin a', 'end a', 'after', 'begin b', 'end b', 'after', 'begin c', 'end c'])
  })
})

import { expect } from 'chai'
import { pollFiles } from '../../../src/lib/poll-files.ts'

describe('pollFiles', () => {
  /**
   * Polls a script of values; an Error is a failure to read. Ends after the script. `refuse`: values that cannot be put
   * into effect.
   */
  async function polled(script: readonly (string | Error)[], refuse: (value: string) => void = () => {}): Promise<string[]> {
    const events: string[] = []
    const over = new AbortController()
    const looks = script.values()
    const read = async (): Promise<string> => {
      const { value, done } = looks.next()
      if (done) over.abort()
      if (value instanceof Error) throw value
      return value ?? 'a'
    }
    const changed = async (value: string): Promise<void> => {
      if (over.signal.aborted) return
      refuse(value)
      events.push(`changed: ${value}`)
    }
    await pollFiles(
      { read, identityOf: value => value, inForce: 'a', intervalMs: 0, changed, failed: error => events.push(`failed: ${error}`) },
      over.signal,
    )
    return events
  }

  for (const [title, script, events] of [
    ['reports nothing if nothing changes', ['a', 'a'], []],
    ['reports each change once', ['b', 'b', 'a'], ['changed: b', 'changed: a']],
    ['reports a failure once', [new Error('x'), new Error('x'), 'a'], ['failed: x']],
    ['reports another failure', [new Error('x'), new Error('y')], ['failed: x', 'failed: y']],
    ['reports the same failure again after a success', [new Error('x'), 'a', new Error('x')], ['failed: x', 'failed: x']],
    ['reports a change after a failure', [new Error('x'), 'b'], ['failed: x', 'changed: b']],
  ] as const)
    it(title, async () => expect(await polled(script)).to.deep.equal(events))

  it('retries a value that could not be put into effect, and reports the failure once', async () => {
    let refusals = 2
    const refuse = (): void => {
      if (refusals-- > 0) throw new Error('not now')
    }
    expect(await polled(['b', 'b', 'b', 'b'], refuse)).to.deep.equal(['failed: not now', 'changed: b'])
  })
})

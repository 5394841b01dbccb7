import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { LightSignal } from '../../../src/lib/light-signal.ts'

const never = (): LightSignal =>
  new LightSignal(
    () => false,
    () => {},
  )

describe('LightSignal', () => {
  it('calls its listeners once, in order', () => {
    const signal = never()
    const calls: string[] = []
    signal.addEventListener('abort', () => calls.push('a'))
    signal.addEventListener('abort', { handleEvent: () => calls.push('b') })
    signal.abort('why')
    signal.abort('again')
    expect(calls).to.deep.equal(['a', 'b'])
    expect(signal.reason).to.equal('why')
  })

  it('forgets listeners that were removed', () => {
    const signal = never()
    let called = false
    const listener = (): void => {
      called = true
    }
    signal.addEventListener('abort', listener)
    signal.removeEventListener('abort', listener)
    signal.abort(undefined)
    expect(called).to.equal(false)
  })

  it('checks its source on each access', () => {
    let gone = false
    const signal = new LightSignal(
      () => gone,
      () => {},
    )
    expect(signal.aborted).to.equal(false)
    gone = true
    expect(signal.aborted).to.equal(true)
    expect(() => signal.throwIfAborted()).to.throw('This operation was aborted')
  })

  it('watches its source only once it has a listener', () => {
    let told: (() => void) | undefined
    const signal = new LightSignal(
      () => false,
      gone => {
        told = gone
      },
    )
    expect(told).to.equal(undefined)
    let called = false
    signal.addEventListener('abort', () => {
      called = true
    })
    told?.()
    expect(called).to.equal(true)
  })

  it("is accepted by Node's functions", async () => {
    const signal = never()
    setMaxListeners(0, signal as unknown as EventTarget)
    const waiting = sleep(10_000, undefined, { signal })
    signal.abort(new Error('enough'))
    const error = await waiting.then(
      () => undefined,
      (e: Error) => e,
    )
    expect(error?.name).to.equal('AbortError')
  })
})

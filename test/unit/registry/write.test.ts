import { expect } from 'chai'
import type { Reservation } from '../../../src/catalog/strategy.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { type DecideObject, HeldReservation, writeObject } from '../../../src/registry/write.ts'
import { DirectStorage } from '../../../src/storage/direct/direct-storage.ts'
import { key } from '../../../src/storage/revision.ts'
import { TestRegistry, widgetResource } from '../../support/test-registry.ts'

const KEY = key('/registry/widgets/ns/a')

describe('a write', () => {
  let t: TestRegistry
  let storage: DirectStorage
  let log: string[]
  beforeEach(() => {
    t = new TestRegistry()
    storage = new DirectStorage(t.backend, codecOf(widgetResource(), 'test'))
    log = []
  })
  const reservation = async (name: string): Promise<Reservation> => ({
    commit: async () => void log.push(`commit ${name}`),
    rollback: async () => void log.push(`rollback ${name}`),
  })
  /** Writes a widget. The result is the state that the decision was based on. */
  const put: DecideObject<string> = async (now, held) => {
    const result = now ? `revision ${now.revision}` : 'nothing'
    await held.take(reservation(result))
    return { change: { put: t.widget({ name: 'a', namespace: 'ns' }, { spec: { size: now ? 5 : 1 } }) }, result }
  }
  const run = (decide = put, dryRun = false) => writeObject(storage, KEY, t.target('a', { dryRun }), decide)

  it('returns the result of its decision, and commits what it reserved', async () => {
    const { result, written } = await run()
    expect([result, written?.outcome, log]).to.deep.equal(['nothing', 'created', ['commit nothing']])
  })

  it('returns the result of the last attempt, and rolls back the reservations of earlier ones', async () => {
    await run()
    let interfered = false
    t.backend.before = async call => {
      if (call !== 'write' || interfered) return
      interfered = true
      await t.update('a', { color: 'blue' })
    }
    log.length = 0
    const { result, written } = await run()
    expect([result, written?.outcome, log]).to.deep.equal(['revision 3', 'updated', ['rollback revision 2', 'commit revision 3']])
  })

  it('rolls back if the decision fails after a reservation', async () => {
    const failing: DecideObject<string> = async (_now, held) => {
      await held.take(reservation('it'))
      throw new Error('no')
    }
    const message = await run(failing).catch((error: Error) => error.message)
    expect([message, log]).to.deep.equal(['no', ['rollback it']])
  })

  it('decides, writes nothing and rolls back in a dry run', async () => {
    const { result, written } = await run(put, true)
    expect([result, written, log, await t.names()]).to.deep.equal(['nothing', undefined, ['rollback nothing'], []])
  })

  it('is not rolled back if a commit fails after it', async () => {
    const failing: DecideObject<string> = async (now, held) => {
      const decision = await put(now, new HeldReservation())
      await held.take(Promise.resolve({ commit: () => Promise.reject(new Error('no')), rollback: async () => void log.push('rollback') }))
      return decision
    }
    const message = await run(failing).catch((error: Error) => error.message)
    expect([message, log, await t.names()]).to.deep.equal(['no', [], ['a']])
  })
})

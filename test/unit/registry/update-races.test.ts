import { expect } from 'chai'
import { clone } from '../../../src/meta/equal.ts'
import { BackendError } from '../../../src/storage/backend.ts'
import { recordedReservations } from '../../support/reservations.ts'
import { refusalText, TestRegistry, widgetResource } from '../../support/test-registry.ts'

const CONFLICT =
  '409 Conflict: Operation cannot be fulfilled on widgets.example.io "a": the object has been modified; please apply your changes to the latest version and try again'

describe('updates that conflict with another write', () => {
  const race = async () => {
    const { log, begin } = recordedReservations()
    const t = new TestRegistry([widgetResource({ strategy: { begin } })])
    await t.create({ name: 'a' })
    log.length = 0
    /** Whether another client has written the object, between the first read and the first write. */
    let interfered = false
    t.backend.before = async call => {
      if (call !== 'write' || interfered) return
      interfered = true
      await t.update('a', { color: 'blue' }, {}, { manager: 'other' })
      log.push('other is done')
    }
    return { t, log }
  }

  it('are retried on the newer object, after a rollback of reservations', async () => {
    const { t, log } = await race()
    const seen: string[] = []
    const { object } = await t.update('a', next => {
      seen.push(next.metadata.resourceVersion as string)
      next.spec.size = 9
    })
    expect(seen).to.deep.equal(['2', '3'])
    expect(object.spec).to.deep.equal({ size: 9, color: 'blue' })
    expect(log).to.deep.equal(['begin 2 update', 'begin 3 update', 'commit 3', 'other is done', 'rollback 2', 'begin 4 update', 'commit 4'])
  })

  it('fail if they have a resourceVersion', async () => {
    const { t, log } = await race()
    const wanted = clone(await t.get('a'))
    wanted.spec.size = 9
    expect(await refusalText(t.update('a', () => {}, { change: { kind: 'compute', compute: async () => clone(wanted) } }))).to.equal(
      CONFLICT,
    )
    expect(log).to.deep.equal(['begin 2 update', 'begin 3 update', 'commit 3', 'other is done', 'rollback 2'])
    expect((await t.get('a')).spec).to.deep.equal({ size: 1, color: 'blue' })
  })

  it('fail if the object is gone', async () => {
    const t = new TestRegistry()
    await t.create({ name: 'a' })
    let gone = false
    t.backend.before = async call => {
      if (call !== 'write' || gone) return
      gone = true
      await t.store.delete(t.target('a'), {})
    }
    expect(await refusalText(t.update('a', { size: 2 }))).to.equal('404 NotFound: widgets.example.io "a" not found')
  })

  it('roll back reservations if the store fails', async () => {
    const { log, begin } = recordedReservations()
    const t = new TestRegistry([widgetResource({ strategy: { begin } })])
    await t.create({ name: 'a' })
    t.backend.before = call => {
      if (call === 'write') throw new BackendError('timeout', 'late')
    }
    expect(await refusalText(t.update('a', { size: 2 }))).to.match(/^504 ServerTimeout: The update operation against widgets/)
    expect(log.slice(2)).to.deep.equal(['begin 2 update', 'rollback 2'])
  })
})

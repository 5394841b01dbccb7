import { expect } from 'chai'
import type { ResourceQuota } from '../../../../../../src/api/core/v1.types.ts'
import { parseQuantity } from '../../../../../../src/meta/quantity.ts'
import { type Held, QuotaReservations } from '../../../../../../src/resources/core/resource-quota/admission/reservations.ts'

const HELD: Held = { namespace: 'ns', quota: 'q', amounts: new Map([['configmaps', parseQuantity('1')]]) }
const WRITTEN = { metadata: { namespace: 'ns', name: 'q', resourceVersion: '7' } } as unknown as ResourceQuota

/** The write of a quota, which ends when the test says so. */
function heldWrite() {
  let end = (_: ResourceQuota): void => {}
  let fail = (_: Error): void => {}
  const write = new Promise<ResourceQuota>((resolve, reject) => {
    end = resolve
    fail = reject
  })
  return { write, end, fail }
}

describe('QuotaReservations', () => {
  it('holds nothing until the quota is written', async () => {
    const reservations = new QuotaReservations()
    const { write, end } = heldWrite()
    const reserving = reservations.reserve([HELD], 'ns', write)
    expect(reservations.of('ns', 'q')).to.deep.equal([])
    end(WRITTEN)
    const [reservation] = (await reserving).reservations
    expect(reservations.of('ns', 'q')).to.deep.equal([HELD])
    expect(reservations.isOwn(7)).to.equal(true)
    await reservation?.commit()
    expect(reservations.of('ns', 'q')).to.deep.equal([])
  })

  it('shows what is held once the writes under way have ended', async () => {
    const reservations = new QuotaReservations()
    const [first, second] = [heldWrite(), heldWrite()]
    const reserving = [reservations.reserve([HELD], 'ns', first.write), reservations.reserve([HELD], 'ns', second.write).catch(String)]
    const seen = reservations.writesEnded('ns').then(() => reservations.of('ns', 'q'))
    await reservations.writesEnded('other')
    first.end(WRITTEN)
    expect(await Promise.race([seen, reserving[0]?.then(() => 'not before the second write')])).to.equal('not before the second write')
    second.fail(new Error('changed'))
    expect(await seen).to.deep.equal([HELD])
    expect(await reserving[1]).to.equal('Error: changed')
  })

  it('reports a namespace in which a quota could not be written', async () => {
    const reservations = new QuotaReservations()
    const namespaces: string[] = []
    reservations.onReturned(namespace => namespaces.push(namespace), new AbortController().signal)
    const { write, fail } = heldWrite()
    const reserving = reservations.reserve([HELD], 'ns', write).catch(String)
    fail(new Error('timed out'))
    expect(await reserving).to.equal('Error: timed out')
    expect(namespaces).to.deep.equal(['ns'])
  })
})

import { expect } from 'chai'
import { usualStoreSetups } from '../support/etcd-setups.ts'
import { trespasses } from '../support/many-prefixes.ts'

/** `PREFIXES=1000` for more. */
const PREFIXES = Number(process.env.PREFIXES ?? 20)

/** A watch over all keys is what proves that nothing is lost where progress cannot be trusted. */
const setups = usualStoreSetups().filter(({ use, following }) => (use === 'own' || use === 'kine') && following === 'progress')

describe(`${PREFIXES} servers on prefixes of one store (PREFIXES)`, () => {
  if (setups.length === 0) it.skip('are recorded (skipped: no etcd with trustworthy progress is installed)', () => {})
  for (const setup of setups)
    it(`request and receive nothing of one another, on ${setup.name}`, async () => {
      const store = await setup.start()
      try {
        const { requests, responses, found } = await trespasses(store.options.servers[0] ?? '', PREFIXES)
        expect(Math.min(requests, responses)).to.be.above(10 * PREFIXES)
        expect([...new Set(found)]).to.deep.equal([])
      } finally {
        await store.stop()
      }
    })
})

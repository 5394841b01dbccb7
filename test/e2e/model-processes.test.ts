import { expect } from 'chai'
import { fewStoreSetups } from '../support/etcd-setups.ts'
import type { Outcome } from '../support/model/memory-history.ts'
import { processHistories } from '../support/model/process-histories.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

/** `$MODEL_WORLDS=50` for more. */
const WORLDS = Number(process.env.MODEL_WORLDS ?? 1)
const SEED = Number(process.env.MODEL_SEED ?? 1)
const HISTORIES = 12
const STEPS = 40
/** Flags that turn off reads from memory. */
const FROM_THE_STORE = ['--feature-gates', 'ConsistentListFromCache=false,ListFromCacheSnapshot=false']

/**
 * The store's history stays, and no loop writes config maps whose changes would be judged with those of the histories.
 */
const ALONE = ['--etcd-compaction-interval', '0', '--controllers', '*,-root-ca-certificate-publisher-controller']

const TWO_WORKERS = ['--workers', '2']

function judge(seed: number, { wrong, compared, changes }: Outcome): void {
  if (wrong.length > 0) throw new Error(`seed ${seed}: ${wrong.length} contradictions:\n${wrong.slice(0, 20).join('\n')}`)
  expect(compared).to.be.above(HISTORIES * STEPS)
  expect(changes).to.be.above(HISTORIES * 10)
}

describe('the model: histories with kills of servers and of their store', function () {
  this.timeout(600_000)
  for (let seed = SEED; seed < SEED + WORLDS; seed++) {
    // Without $STORES, later seeds run on etcd alone: a world takes half a minute.
    for (const setup of seed === SEED || process.env.STORES ? fewStoreSetups() : fewStoreSetups().slice(0, 1))
      it(`three servers on ${setup.name}, seed ${seed}`, async () => {
        const store = await setup.start()
        const servers: ServerProcess[] = []
        try {
          for (const more of [(seed - SEED) % 2 === 0 ? TWO_WORKERS : [], [], FROM_THE_STORE])
            servers.push(await createServerProcess([...store.flags, ...ALONE, ...more]))
          // kine compacts by itself.
          judge(seed, await processHistories({ seed, histories: HISTORIES, steps: STEPS, servers, store, compacts: setup.use !== 'kine' }))
        } finally {
          await Promise.all(servers.map(server => server.stop()))
          await store.stop()
        }
      })

    if ((seed - SEED) % 2 === 1 || process.env.STORES) continue
    it(`one server on the embedded store, seed ${seed}`, async () => {
      const server = await createServerProcess(ALONE)
      try {
        judge(seed, await processHistories({ seed, histories: HISTORIES, steps: STEPS, servers: [server] }))
      } finally {
        await server.stop()
      }
    })
  }
})

import { expect } from 'chai'
import { fewStoreSetups } from '../support/etcd-setups.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'
import { startTrial, type Trial } from '../support/writes-under-trouble.ts'

const KILLS = 2
/** Acknowledged before each kill, and after it. */
const WRITES = 100

const ways = {
  kill: (server: ServerProcess) => server.kill(),
  terminate: async (server: ServerProcess) => expect(await server.terminate()).to.equal(0),
}

function moreWrites({ load }: Trial): Promise<void> {
  const before = load.acknowledged()
  return eventually('writes go on', () => load.acknowledged() >= before + WRITES, 20)
}

/** kill -9 of the server (or SIGTERM), again and again, while sixteen clients write and one watches. */
async function endUnderLoad(server: ServerProcess, seed: number, way: keyof typeof ways): Promise<void> {
  let trial: Trial | undefined
  try {
    await server.start()
    trial = await startTrial(server.url, seed)
    for (let kill = 0; kill < KILLS; kill++) {
      await moreWrites(trial)
      await ways[way](server)
      await server.start()
      await moreWrites(trial)
    }
    await trial.judge()
    expect(trial.load.failures.length, 'writes that were cut off').to.be.above(0)
    expect(trial.watch.streams(), 'streams of the watch').to.be.above(KILLS)
  } finally {
    trial?.close()
    await server.stop()
  }
}

describe('resilience: the server ends during writes', () => {
  it('loses no acknowledged write when it is killed, and no event of a resumed watch, on the embedded store', async () => {
    await endUnderLoad(await createServerProcess(), 11, 'kill')
  })

  it('loses none when it is terminated', async () => {
    await endUnderLoad(await createServerProcess(), 13, 'terminate')
  })

  const setups = fewStoreSetups()
  for (const setup of setups)
    it(`loses none on ${setup.name}`, async () => {
      const store = await setup.start()
      try {
        await endUnderLoad(await createServerProcess(store.flags), 12, 'kill')
      } finally {
        await store.stop()
      }
    })
  if (setups.length === 0) it.skip('loses none on etcd (skipped: there is no etcd here; hack/etcd installs one)', () => {})
})

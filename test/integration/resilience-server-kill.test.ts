import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { startTrial, type Trial } from '../support/writes-under-trouble.ts'

const KILLS = 2
const LOAD_MS = 700
const GO_ON_MS = 8000

const ways = { kill: (server: ServerProcess) => server.kill(), terminate: async (server: ServerProcess) => expect(await server.terminate()).to.equal(0) }

/** kill -9 of the server (or SIGTERM), again and again, while sixteen clients write and one watches. */
async function endUnderLoad(server: ServerProcess, seed: number, way: keyof typeof ways): Promise<void> {
  let trial: Trial | undefined
  try {
    await server.start()
    trial = await startTrial(server.url, seed)
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(LOAD_MS)
      const before = trial.load.acknowledged()
      await ways[way](server)
      await server.start()
      for (const deadline = Date.now() + GO_ON_MS; trial.load.acknowledged() < before + 50 && Date.now() < deadline; ) await sleep(20)
      expect(trial.load.acknowledged(), 'writes that go on').to.be.above(before + 49)
    }
    await trial.judge()
    expect(trial.load.failures.length, 'writes that were cut off').to.be.above(0)
    expect(trial.watch.streams(), 'streams of the watch').to.be.above(KILLS)
    expect(trial.load.acknowledged()).to.be.above(200)
  } finally {
    trial?.close()
    await server.stop()
  }
}

describe('resilience: the server ends under a load of writes', function () {
  this.timeout(300_000)

  it('killed, it loses nothing that was acknowledged, and no event for who resumes, on the embedded store', async () => {
    await endUnderLoad(await createServerProcess(), 11, 'kill')
  })

  it('nor when it is told to stop', async () => {
    await endUnderLoad(await createServerProcess(), 13, 'terminate')
  })

  const etcdFound = findEtcd() !== undefined
  ;(etcdFound ? it : it.skip)(`nor on etcd${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, async () => {
    const etcd: EtcdServer = await startEtcd()
    try {
      await endUnderLoad(await createServerProcess(['--etcd-servers', etcd.url]), 12, 'kill')
    } finally {
      await etcd.stop()
    }
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { startTrial, type Trial } from '../support/writes-under-trouble.ts'

const KILLS = 2
const LOAD_MS = 1200

/** kill -9 of the server, again and again, while sixteen clients write and one watches. */
async function killUnderLoad(server: ServerProcess, seed: number): Promise<void> {
  let trial: Trial | undefined
  try {
    await server.start()
    trial = await startTrial(server.url, seed)
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(LOAD_MS)
      const before = trial.load.acknowledged()
      await server.kill()
      await server.start()
      await sleep(LOAD_MS / 2)
      expect(trial.load.acknowledged(), 'writes that go on').to.be.above(before)
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

describe('resilience: kill -9 of the server under a load of writes', function () {
  this.timeout(60_000)

  it('loses nothing that was acknowledged, and no event for who resumes, on the embedded store', async () => {
    await killUnderLoad(await createServerProcess(), 11)
  })

  const etcdFound = findEtcd() !== undefined
  ;(etcdFound ? it : it.skip)(`nor on etcd${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, async () => {
    const etcd: EtcdServer = await startEtcd()
    try {
      await killUnderLoad(await createServerProcess(['--etcd-servers', etcd.url]), 12)
    } finally {
      await etcd.stop()
    }
  })
})

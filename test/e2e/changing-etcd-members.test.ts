import { setTimeout as sleep } from 'node:timers/promises'
import { type ChangingStore, startChangingStore } from '../support/changing-store.ts'
import { findEtcds } from '../support/etcd.ts'
import { type EtcdCluster, type EtcdMember, startEtcdCluster } from '../support/etcd-cluster.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

/** The newest alone: each takes two minutes, most of which are waits for elections. */
const FOUND = findEtcds().slice(0, 1)
/** Time in which a member receives nothing from the others. */
const LAG_MS = Number(process.env.LAG_MS ?? 5000)

if (FOUND.length === 0) describe.skip('members of etcd under a server (skipped: there is no etcd here; hack/etcd installs one)', () => {})
for (const { path, version } of FOUND)
  describe(`three members of etcd ${version} under a server`, () => {
    let cluster: EtcdCluster
    let server: ServerProcess
    let store: ChangingStore
    let seed = 100

    before(async () => {
      cluster = await startEtcdCluster(path)
      server = await createServerProcess(['--etcd-servers', cluster.urls])
      await server.start()
    })
    after(async () => {
      await server?.stop()
      await cluster?.stop()
    })
    beforeEach(async () => {
      store = await startChangingStore(server.url, { servers: cluster.urls.split(',') }, ++seed)
      await store.goesOn()
    })
    afterEach(() => store?.close())

    const others = (than: EtcdMember): EtcdMember[] => cluster.members.filter(member => member !== than)
    const isReady = async (): Promise<boolean> => (await store.trial.client.ask('GET', '/readyz')).status === 200

    it('survive changes of the leader', async () => {
      for (let i = 0; i < 3; i++) {
        const leader = await cluster.leader()
        const { member } = await others(leader)[i % 2]!.admin.status()
        await leader.admin.moveLeader(member)
        await store.goesOn()
      }
      await store.judge()
    })

    it('survive a kill of the leader, which rejoins', async () => {
      const leader = await cluster.leader()
      await leader.kill()
      await store.goesOn()
      await leader.start()
      await store.goesOn()
      await store.judge()
    })

    it('survive a pause of each: the server uses the others', async () => {
      for (const member of cluster.members) {
        await member.freeze()
        try {
          await store.goesOn()
        } finally {
          member.thaw()
        }
        await store.goesOn()
      }
      await store.judge()
    })

    it('survive a network partition of each: the server uses the others', async () => {
      for (const member of cluster.members) {
        await member.partition()
        try {
          await store.goesOn()
        } finally {
          member.heal()
        }
        await store.goesOn()
      }
      await store.judge()
    })

    it(`survive a lag of ${LAG_MS} ms of the only member that a server uses: no list is stale, and its watches miss nothing (LAG_MS)`, async () => {
      const leader = await cluster.leader()
      const lagging = others(leader)[0] as EtcdMember
      const behind = await createServerProcess(['--etcd-servers', lagging.url])
      try {
        await behind.start()
        const late = await startChangingStore(behind.url, { servers: others(lagging).map(({ url }) => url) }, ++seed)
        try {
          await late.goesOn()
          await lagging.partition()
          await sleep(LAG_MS)
          lagging.heal()
          await late.goesOn()
          await late.judge()
        } finally {
          lagging.heal()
          await late.close()
        }
      } finally {
        await behind.stop()
      }
      await store.judge()
    })

    it('survive a kill of all, and a restart', async () => {
      for (const member of cluster.members) await member.kill()
      await eventually('the server says so', async () => !(await isReady()))
      await Promise.all(cluster.members.map(member => member.start()))
      await eventually('the server is ready', isReady)
      await store.goesOn()
      await store.judge()
    })
  })

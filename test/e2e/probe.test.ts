import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { LATER_RELEASES, PROBE_FLAGS, readFixtures, readLaterFixtures } from '../support/probe/fixtures.ts'
import { probe } from '../support/probe/suite.ts'
import { startBinnacle } from '../support/started-server.ts'

const ON_ETCD = ['rest', 'read', 'chunk', 'selector', 'watch', 'read-random', 'update']
const BY_WORKERS = ['rest', 'read', 'read-random', 'chunk', 'selector', 'watch']

for (const release of LATER_RELEASES)
  describe(`probe of ${release}`, () =>
    probe(readLaterFixtures(release), () => startBinnacle([...PROBE_FLAGS, `--emulated-version=${release}`])))

const etcdFound = findEtcd() !== undefined
const onEtcd = etcdFound ? describe : describe.skip

onEtcd(`probe, on etcd${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => {
  let etcd: EtcdServer
  after(() => etcd?.stop())
  probe(ON_ETCD.flatMap(readFixtures), async () => {
    etcd = await startEtcd()
    return startBinnacle([...PROBE_FLAGS, '--etcd-servers', etcd.url])
  })
})

// Steps of one case are served by both workers: each connection goes to the next worker.
onEtcd(`probe, by two workers${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => {
  let etcd: EtcdServer
  after(() => etcd?.stop())
  probe(BY_WORKERS.flatMap(readFixtures), async () => {
    etcd = await startEtcd()
    return startBinnacle([...PROBE_FLAGS, '--etcd-servers', etcd.url, '--workers=2'])
  })
})

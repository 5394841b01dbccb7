import { silentLogger } from '../../../../src/lib/log.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import { backendConformance } from '../../../conformance/backend.ts'
import { type EtcdServer, findEtcds, startEtcd } from '../../../support/etcd.ts'

/** etcd sends at most 1000 revisions at once to a watcher that is behind. */
const BACKLOG = 5000

const etcds = findEtcds()

for (const { path, version } of etcds.length > 0 ? etcds : [{ path: undefined, version: 'of any version' }]) {
  let server: Promise<EtcdServer> | undefined
  after(async () => (await server)?.stop())

  backendConformance(
    `etcd ${version}`,
    async () => {
      server ??= startEtcd([], path)
      const { url } = await server
      const backend = await openEtcd({ servers: [url] }, silentLogger)
      return { backend, backlog: BACKLOG, dispose: () => backend.close() }
    },
    path === undefined ? 'there is no etcd binary; hack/etcd installs one' : undefined,
  )
}

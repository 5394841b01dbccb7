import { silentLogger } from '../../../../src/lib/log.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import { backendConformance } from '../../../conformance/backend.ts'
import { findEtcds, startEtcd } from '../../../support/etcd.ts'

const etcds = findEtcds()

for (const { path, version } of etcds.length > 0 ? etcds : [{ path: undefined, version: 'of any version' }])
  backendConformance(
    `etcd ${version}`,
    async () => {
      const server = await startEtcd([], path)
      const backend = await openEtcd({ servers: [server.url] }, silentLogger)
      return {
        backend,
        async dispose() {
          await backend.close()
          await server.stop()
        },
      }
    },
    path === undefined ? 'there is no etcd binary; hack/etcd installs one' : undefined,
  )

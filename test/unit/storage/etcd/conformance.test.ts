import { silentLogger } from '../../../../src/lib/log.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import { backendConformance } from '../../../conformance/backend.ts'
import { findEtcd, startEtcd } from '../../../support/etcd.ts'

backendConformance(
  'etcd',
  async () => {
    const server = await startEtcd()
    const backend = await openEtcd({ servers: [server.url] }, silentLogger)
    return {
      backend,
      async dispose() {
        await backend.close()
        await server.stop()
      },
    }
  },
  findEtcd() ? undefined : 'there is no etcd binary; hack/etcd installs one',
)

import { expect } from 'chai'
import { storageSize } from '../../../src/storage/size-gauge.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

describe('storage/size-gauge', () => {
  it('reports the size once the store has returned it, and nothing if the store does not respond', async () => {
    const stop = new AbortController()
    const backend = new MemoryBackend()
    const gauge = storageSize(new Map([['etcd-0', backend]]), 30_000, stop.signal)
    expect(gauge.samples()).to.deep.equal([])
    await new Promise(setImmediate)
    expect(gauge.samples()).to.deep.equal([
      { metricName: 'apiserver_storage_size_bytes', labels: { storage_cluster_id: 'etcd-0' }, value: 4096 },
    ])
    backend.down = true
    const away = storageSize(new Map([['etcd-0', backend]]), 30_000, stop.signal)
    await new Promise(setImmediate)
    expect(away.samples()).to.deep.equal([])
    stop.abort()
  })
})

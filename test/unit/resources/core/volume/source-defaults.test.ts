import { expect } from 'chai'
import type { AnyObject } from '../../../../support/any-object.ts'
import { inRelease } from '../../../../support/in-release.ts'
import { MemoryBackend } from '../../../../support/memory-backend.ts'

const SOURCES = {
  azureDisk: { diskName: 'd', diskURI: 'https://a/b' },
  iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2020-01.a.b:c', lun: 0 },
  rbd: { monitors: ['m'], image: 'i' },
  scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: 'x', namespace: 'ns' } },
}
const DEFAULTS = {
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', kind: 'Shared', readOnly: false },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
}

describe('sources of volumes', () => {
  // The types declare these defaults only since 1.31, as the OpenAPI document shows.
  for (const release of ['1.24', '1.30', '1.31'] as const)
    it(`have defaults in release ${release}`, () =>
      inRelease(new MemoryBackend(), release, async call => {
        const post = async (path: string, kind: string, more: object): Promise<AnyObject> => {
          const { json } = await call(path, {
            method: 'POST',
            body: JSON.stringify({ apiVersion: 'v1', kind, metadata: { name: 'n' }, ...more }),
          })
          return json as AnyObject
        }
        await post('/api/v1/namespaces', 'Namespace', {})
        const { scaleIO, ...ofPods } = SOURCES
        const sources = { ...ofPods, scaleIO: { ...scaleIO, secretRef: { name: 'x' } } }
        const volumes = Object.entries(sources).map(([name, source]) => ({ name: name.toLowerCase(), [name]: source }))
        const pod = await post('/api/v1/namespaces/n/pods', 'Pod', { spec: { containers: [{ name: 'c', image: 'i' }], volumes } })
        expect(pod.spec?.volumes, JSON.stringify(pod)).to.deep.equal(
          Object.entries(sources).map(([name, source]) => ({
            name: name.toLowerCase(),
            [name]: { ...source, ...DEFAULTS[name as keyof typeof DEFAULTS] },
          })),
        )
        const iscsi = { capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'], iscsi: SOURCES.iscsi }
        expect((await post('/api/v1/persistentvolumes', 'PersistentVolume', { spec: iscsi })).spec.iscsi).to.deep.equal({
          ...SOURCES.iscsi,
          ...DEFAULTS.iscsi,
        })
      }))
})

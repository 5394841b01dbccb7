import { CLAIMS, CSI_DRIVERS, VOLUMES } from '../../../kinds.ts'
import { claimOf } from '../../pod-spec/references.ts'
import type { Pod, Volume } from '../../v1.types.ts'
import { found, type Restricted, sinceOf } from './restricted.ts'

/** The drivers that stand in for volumes of the tree. Source: k8s.io/csi-translation-lib. */
const DRIVERS = {
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  awsElasticBlockStore: 'ebs.csi.aws.com',
  cinder: 'cinder.csi.openstack.org',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
  portworxVolume: 'pxd.portworx.com',
} as const satisfies Partial<Readonly<Record<keyof Volume, string>>>

type Source = keyof typeof DRIVERS
const SOURCES = Object.keys(DRIVERS) as Source[]

const migrated = (restricted: Restricted, source: Partial<Readonly<Record<Source, unknown>>>): string =>
  (sinceOf(restricted, '1.33') && SOURCES.filter(each => source[each]).map(each => DRIVERS[each])[0]) || ''

/** The driver of a volume, by way of its claim where it has one; empty where it has none. Throws NotFound where the claim or its volume is not there. */
async function driverOf(restricted: Restricted, pod: Pod, volume: Volume): Promise<string> {
  const claim = volume.ephemeral && !volume.ephemeral.volumeClaimTemplate ? undefined : claimOf(pod.metadata.name ?? '', volume)
  if (claim === undefined) return volume.csi ? volume.csi.driver : migrated(restricted, volume)
  const { volumeName = '' } = (await found(restricted, CLAIMS, { name: claim, namespace: restricted.request.namespace })).spec
  const { spec } = await found(restricted, VOLUMES, { name: volumeName })
  return spec.csi ? spec.csi.driver : migrated(restricted, spec)
}

/** Whether the driver of the volume asks for tokens for the audience. */
export async function driverWants(restricted: Restricted, pod: Pod, volume: Volume, audience: string): Promise<boolean> {
  const driver = await driverOf(restricted, pod, volume)
  if (driver === '') return false
  const { spec } = await found(restricted, CSI_DRIVERS, { name: driver })
  return (spec.tokenRequests ?? []).some(request => request.audience === audience)
}

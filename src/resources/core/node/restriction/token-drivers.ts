import type { Pod, Volume } from '../../../../api/core/v1.types.ts'
import { CLAIMS, CSI_DRIVERS, VOLUMES } from '../../../kinds.ts'
import { claimOf } from '../../pod-spec/references.ts'
import { found, type Restricted, sinceOf } from './restricted.ts'

/** CSI drivers that replaced in-tree volume plugins. Source: k8s.io/csi-translation-lib. */
const DRIVERS = {
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  awsElasticBlockStore: 'ebs.csi.aws.com',
  cinder: 'cinder.csi.openstack.org',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
  portworxVolume: 'pxd.portworx.com',
} as const satisfies Partial<Readonly<Record<keyof Volume, string>>>

type DriverSource = keyof typeof DRIVERS
const SOURCES = Object.keys(DRIVERS) as DriverSource[]

const migrated = (restricted: Restricted, source: Partial<Readonly<Record<DriverSource, unknown>>>): string =>
  (sinceOf(restricted, '1.33') && SOURCES.filter(each => source[each]).map(each => DRIVERS[each])[0]) || ''

/**
 * Returns the CSI driver of a volume, through its claim if it has one, or an empty string. Throws NotFound if the claim
 * or its volume does not exist.
 */
async function driverOf(restricted: Restricted, pod: Pod, volume: Volume): Promise<string> {
  const claim = volume.ephemeral && !volume.ephemeral.volumeClaimTemplate ? undefined : claimOf(pod.metadata.name ?? '', volume)
  if (claim === undefined) return volume.csi ? volume.csi.driver : migrated(restricted, volume)
  const { volumeName = '' } = (await found(restricted, CLAIMS, { name: claim, namespace: restricted.request.namespace })).spec
  const { spec } = await found(restricted, VOLUMES, { name: volumeName })
  return spec.csi ? spec.csi.driver : migrated(restricted, spec)
}

/** Reports whether the CSI driver of the volume requests tokens for the audience. */
export async function driverWants(restricted: Restricted, pod: Pod, volume: Volume, audience: string): Promise<boolean> {
  const driver = await driverOf(restricted, pod, volume)
  if (driver === '') return false
  const { spec } = await found(restricted, CSI_DRIVERS, { name: driver })
  return (spec.tokenRequests ?? []).some(request => request.audience === audience)
}

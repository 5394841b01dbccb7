import type { CSIDriver, StorageClass } from '../../api/storage/v1.types.ts'
import type { ClusterEnvironment } from '../shared/environment.ts'
import { CSI_DRIVERS, STORAGE_CLASSES } from '../shared/kinds.ts'
import { defaultClass } from '../shared/volumes.ts'

/** Name of the simulated driver, as its class, volumes and events have it. */
export const SIMULATED_DRIVER = 'volumes.binnacle.dev'
/** Class that the driver offers. */
export const SIMULATED_CLASS = 'standard'

/** The driver attaches nothing: its volumes are usable on every node at once. */
const driver: CSIDriver = {
  kind: 'CSIDriver',
  apiVersion: 'storage.k8s.io/v1',
  metadata: { name: SIMULATED_DRIVER },
  spec: { attachRequired: false, podInfoOnMount: false, volumeLifecycleModes: ['Persistent'] },
}

const storageClass = (isDefault: boolean): StorageClass => ({
  kind: 'StorageClass',
  apiVersion: 'storage.k8s.io/v1',
  metadata: { name: SIMULATED_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': String(isDefault) } },
  provisioner: SIMULATED_DRIVER,
  reclaimPolicy: 'Delete',
  allowVolumeExpansion: true,
  volumeBindingMode: 'Immediate',
})

/**
 * Creates the driver and its class, unless objects of these names exist. The class is the default one if there is no
 * other.
 */
export async function createDefaultObjects({ client, informers }: Pick<ClusterEnvironment, 'client' | 'informers'>): Promise<void> {
  const classes = informers.of(STORAGE_CLASSES).store
  const { items } = await client.list(CSI_DRIVERS, { fieldSelector: `metadata.name=${SIMULATED_DRIVER}` })
  if (items.length === 0) await client.create(CSI_DRIVERS, driver)
  if (classes.get(SIMULATED_CLASS) === undefined)
    await client.create(STORAGE_CLASSES, storageClass(defaultClass(classes.list()) === undefined))
}

/**
 * CSI drivers that have replaced plugins of kube-controller-manager, by the plugin's name. Source:
 * k8s.io/csi-translation-lib.
 */
const DRIVERS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
])

/** Returns the CSI driver that has replaced a plugin. Undefined if none has. */
export const migratedDriver = (plugin: string): string | undefined => DRIVERS.get(plugin)

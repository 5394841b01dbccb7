import type { PersistentVolume, SecretReference } from '../../../api/core/v1.types.ts'

/**
 * Returns the secrets that a kubelet reads to mount the volume, as `NAMESPACE/NAME`. Source: VisitPVSecretNames of
 * pkg/api/v1/persistentvolume in k8s.io/kubernetes.
 */
export function kubeletSecrets({ spec }: PersistentVolume): string[] {
  const claimed = spec.claimRef?.namespace ?? ''
  const secret = (name: string | undefined, namespace: string | null | undefined): string[] => (name ? [`${namespace ?? ''}/${name}`] : [])
  const { azureFile } = spec
  if (azureFile) return secret(azureFile.secretName, azureFile.secretNamespace || claimed)
  const inClaims = [spec.cephfs, spec.flexVolume, spec.rbd, spec.scaleIO, spec.iscsi].map(source => source?.secretRef)
  const asNamed: (SecretReference | undefined)[] = [
    spec.cinder?.secretRef,
    spec.storageos?.secretRef,
    spec.csi?.nodePublishSecretRef,
    spec.csi?.nodeStageSecretRef,
    spec.csi?.nodeExpandSecretRef,
  ]
  return [
    ...inClaims.flatMap(reference => secret(reference?.name, reference?.namespace || claimed)),
    ...asNamed.flatMap(reference => secret(reference?.name, reference?.namespace)),
  ]
}

import { expect } from 'chai'
import { deprecationIn } from '../../../src/lifecycle/lifecycle.ts'
import type { Release } from '../../../src/lifecycle/release.ts'

describe('deprecations that a release announces', () => {
  const cases: [release: Release, apiVersion: string, kind: string, warning: string | undefined][] = [
    [
      '1.25',
      'flowcontrol.apiserver.k8s.io/v1beta1',
      'FlowSchema',
      'is deprecated in v1.23+, unavailable in v1.26+; use flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema',
    ],
    ['1.28', 'certificates.k8s.io/v1alpha1', 'ClusterTrustBundle', undefined],
    ['1.31', 'certificates.k8s.io/v1alpha1', 'ClusterTrustBundle', 'is deprecated in v1.29+, unavailable in v1.32+'],
    ['1.33', 'certificates.k8s.io/v1alpha1', 'ClusterTrustBundle', undefined],
    ['1.34', 'certificates.k8s.io/v1alpha1', 'ClusterTrustBundle', 'is deprecated in v1.34+, unavailable in v1.37+'],
    ['1.33', 'storage.k8s.io/v1alpha1', 'VolumeAttributesClass', 'is deprecated in v1.32+, unavailable in v1.35+'],
    [
      '1.34',
      'storage.k8s.io/v1alpha1',
      'VolumeAttributesClass',
      'is deprecated in v1.32+, unavailable in v1.35+; use storage.k8s.io/v1 VolumeAttributesClass',
    ],
    ['1.36', 'certificates.k8s.io/v1beta1', 'PodCertificateRequest', undefined],
    [
      '1.37',
      'certificates.k8s.io/v1beta1',
      'PodCertificateRequest',
      'is deprecated in v1.37+, unavailable in v1.40+; use certificates.k8s.io/v1 PodCertificateRequest',
    ],
    [
      '1.37',
      'certificates.k8s.io/v1beta1',
      'ClusterTrustBundle',
      'is deprecated in v1.37+, unavailable in v1.40+; use certificates.k8s.io/v1 ClusterTrustBundle',
    ],
    [
      '1.37',
      'storagemigration.k8s.io/v1beta1',
      'StorageVersionMigration',
      'is deprecated in v1.37+, unavailable in v1.40+; use storagemigration.k8s.io/v1 StorageVersionMigration',
    ],
    ['1.37', 'resource.k8s.io/v1beta2', 'ResourceClaim', 'is deprecated in v1.36+, unavailable in v1.39+'],
    [
      '1.34',
      'storage.k8s.io/v1beta1',
      'VolumeAttributesClass',
      'is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass',
    ],
  ]
  for (const [release, apiVersion, kind, warning] of cases)
    it(`match the release: ${apiVersion} ${kind} in ${release}`, () =>
      expect(deprecationIn(release, apiVersion, kind)?.warning).to.equal(warning && `${apiVersion} ${kind} ${warning}`))
})

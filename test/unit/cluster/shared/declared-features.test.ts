import { expect } from 'chai'
import type { PodSpec } from '../../../../src/api/core/v1.types.ts'
import { declaredFeatures, requiredFeatures } from '../../../../src/cluster/shared/declared-features.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { featuresIn } from '../../../support/hook-context.ts'

describe('features of nodes', () => {
  const declared = (release: Release, gates?: Record<string, boolean>): string[] => declaredFeatures(featuresIn(release, gates))

  it('are declared by the gates of the release, sorted', () => {
    expect(declared('1.33')).to.deep.equal([])
    expect(declared('1.35')).to.deep.equal([])
    expect(declared('1.35', { NodeDeclaredFeatures: true, RestartAllContainersOnContainerExits: true })).to.deep.equal([
      'GuaranteedQoSPodCPUResize',
      'RestartAllContainersOnContainerExits',
    ])
    expect(declared('1.36')).to.deep.equal([
      'ExtendWebSocketsToKubelet',
      'InPlacePodLevelResourcesVerticalScaling',
      'InPlacePodVerticalScalingInitContainers',
      'RestartAllContainersOnContainerExits',
    ])
    const later = declared('1.37', { VolumeBindMountOptions: true, H2CContainerProbe: true, DRANodeAllocatableResources: true })
    expect(later).to.include.members(['DRANodeAllocatableResources', 'H2CContainerProbe', 'VolumeBindMountOptions'])
    expect(later).to.deep.equal([...later].sort())
  })

  const required = (spec: Partial<PodSpec>): string[] => requiredFeatures({ containers: [{ name: 'c', resources: {} }], ...spec })
  const probe = { httpGet: { port: 80, protocol: 'HTTP2' as const } }
  const mount = { name: 'v', mountPath: '/v', bindMountOptions: ['noexec'] }
  const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } }
  for (const { title, spec, features } of [
    { title: 'a plain pod', spec: {}, features: [] },
    { title: 'a pod of the host network', spec: { hostNetwork: true }, features: [] },
    {
      title: 'a pod of the host network with users of its own',
      spec: { hostNetwork: true, hostUsers: false },
      features: ['UserNamespacesHostNetworkSupport'],
    },
    {
      title: 'a container that restarts itself',
      spec: { containers: [{ name: 'c', resources: {}, restartPolicyRules: [{ ...rule, action: 'Restart' }] }] },
      features: [],
    },
    {
      title: 'an init container that restarts all',
      spec: { initContainers: [{ name: 'i', resources: {}, restartPolicyRules: [rule] }] },
      features: ['RestartAllContainersOnContainerExits'],
    },
    {
      title: 'a container with a probe over HTTP/2 and a mount with options',
      spec: { containers: [{ name: 'c', resources: {}, startupProbe: probe, volumeMounts: [mount] }] },
      features: ['H2CContainerProbe', 'VolumeBindMountOptions'],
    },
  ])
    it(`are required by ${title}: ${features.join(', ') || 'none'}`, () => {
      expect(required(spec)).to.deep.equal(features)
    })
})

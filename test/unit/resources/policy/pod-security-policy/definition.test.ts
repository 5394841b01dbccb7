import { expect } from 'chai'
import { podSecurityPolicyResource } from '../../../../../src/resources/policy/pod-security-policy/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const any = { rule: 'RunAsAny' }
const of = (spec: object = {}): object => ({ spec: { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any, ...spec } })
const annotated = (annotations: Record<string, string>): object => ({ annotations })

describe('PodSecurityPolicy', () => {
  validates(
    podSecurityPolicyResource,
    {
      'a policy that allows everything': [
        of({ privileged: true, volumes: ['*'], allowedCapabilities: ['*'], hostPorts: [{ min: 0, max: 65535 }] }),
        [],
      ],
      'no rules': [
        {},
        [
          'NotSupported spec.runAsUser.rule',
          'NotSupported spec.seLinux.rule',
          'NotSupported spec.supplementalGroups.rule',
          'NotSupported spec.fsGroup.rule',
        ],
      ],
      'invalid ranges': [
        of({
          runAsUser: {
            rule: 'MustRunAs',
            ranges: [
              { min: -1, max: 2 },
              { min: 3, max: 2 },
            ],
          },
          fsGroup: { rule: 'MayRunAs', ranges: [{ min: 1, max: -1 }] },
        }),
        [
          'Invalid spec.runAsUser.ranges[0].min',
          'Invalid spec.runAsUser.ranges[1].min',
          'Invalid spec.fsGroup.ranges[0].max',
          'Invalid spec.fsGroup.ranges[0].min',
        ],
      ],
      'any group, and ranges': [of({ runAsGroup: { rule: 'RunAsAny', ranges: [{ min: 1, max: 2 }] } }), ['Invalid spec.runAsGroup.ranges']],
      'certain groups, and no ranges': [of({ runAsGroup: { rule: 'MustRunAs' } }), ['Invalid spec.runAsGroup.ranges']],
      'an unknown rule for groups': [of({ runAsGroup: { rule: 'Never' } }), ['NotSupported spec.runAsGroup.rule']],
      'an unknown type of volume': [of({ volumes: ['secret', 'tape'] }), ['NotSupported spec.volumes']],
      'capabilities that are dropped': [
        of({ requiredDropCapabilities: ['A'], defaultAddCapabilities: ['A'], allowedCapabilities: ['B', '*'] }),
        ['Invalid requiredDropCapabilities', 'Invalid defaultAddCapabilities'],
      ],
      'an escalation that is not allowed': [
        of({ defaultAllowPrivilegeEscalation: true, allowPrivilegeEscalation: false }),
        ['Invalid spec.defaultAllowPrivilegeEscalation'],
      ],
      'paths of hosts': [
        of({ allowedHostPaths: [{ pathPrefix: '/a/../b' }, {}, { pathPrefix: '..' }] }),
        ['Invalid spec.allowedHostPaths[0]', 'Required spec.allowedHostPaths[1]'],
      ],
      'drivers without names': [
        of({ allowedFlexVolumes: [{}], allowedCSIDrivers: [{ name: '' }] }),
        [
          'Required spec.allowedFlexVolumes.allowedFlexVolumes[0].driver',
          'Required spec.allowedCSIDrivers.allowedCSIDriver[0].name',
          'Invalid spec.allowedCSIDrivers.allowedCSIDriver[0].name',
        ],
      ],
      sysctls: [
        of({ allowedUnsafeSysctls: ['kernel.*', '', 'A'], forbiddenSysctls: ['*', 'net.b'] }),
        [
          'Invalid spec.allowedUnsafeSysctls[1]',
          'Invalid spec.allowedUnsafeSysctls[2]',
          'Forbidden spec.forbiddenSysctls.items',
          'Invalid spec.allowedUnsafeSysctls[0]',
          'Invalid spec.allowedUnsafeSysctls[1]',
          'Invalid spec.allowedUnsafeSysctls[2]',
        ],
      ],
      'sysctls in both lists': [
        of({ allowedUnsafeSysctls: ['a.b', 'c.*', 'd.e.*'], forbiddenSysctls: ['c.d', 'a.b', 'd.*', 'c.*', 'e'] }),
        [
          'Invalid spec.allowedUnsafeSysctls[0]',
          'Invalid spec.forbiddenSysctls[0]',
          'Invalid spec.allowedUnsafeSysctls[1]',
          'Invalid spec.allowedUnsafeSysctls[2]',
        ],
      ],
      'runtime classes': [
        of({ runtimeClass: { allowedRuntimeClassNames: ['a', 'a', '*', 'A'], defaultRuntimeClassName: 'b' } }),
        [
          'Duplicate spec.runtimeClass.allowedRuntimeClassNames[1]',
          'Invalid spec.runtimeClass.allowedRuntimeClassNames[3]',
          'Invalid spec.runtimeClass.allowedRuntimeClassNames',
        ],
      ],
      'a default class that is not allowed': [
        of({ runtimeClass: { allowedRuntimeClassNames: ['a'], defaultRuntimeClassName: 'b' } }),
        ['Required spec.runtimeClass.allowedRuntimeClassNames'],
      ],
      'profiles by name': [
        of(),
        [
          'Invalid metadata.annotations[apparmor.security.beta.kubernetes.io/allowedProfileNames]',
          'Invalid metadata.annotations[seccomp.security.alpha.kubernetes.io/defaultProfileName]',
        ],
        annotated({
          'apparmor.security.beta.kubernetes.io/allowedProfileNames': 'runtime/default,other',
          'seccomp.security.alpha.kubernetes.io/defaultProfileName': 'x',
          'seccomp.security.alpha.kubernetes.io/allowedProfileNames': '*,localhost/a',
        }),
      ],
    },
    { 'everything that is wanted': [of(), of({ hostNetwork: true, readOnlyRootFilesystem: true }), []] },
  )

  it('allows privilege escalation by default', async () => {
    const { spec } = await new KindCases(podSecurityPolicyResource).create(of())
    expect(spec.allowPrivilegeEscalation).to.equal(true)
  })

  it('keeps the types of proc mounts only with the gate', async () => {
    const { spec } = await new KindCases(podSecurityPolicyResource).create(of({ allowedProcMountTypes: ['Unmasked'] }))
    expect(spec.allowedProcMountTypes).to.deep.equal(['Unmasked'])
  })

  it('reports overlapping lists of sysctls', async () => {
    const create = new KindCases(podSecurityPolicyResource).create(of({ allowedUnsafeSysctls: ['a.*'], forbiddenSysctls: ['a.b'] }))
    expect(await messagesOf(create)).to.deep.equal(['spec.forbiddenSysctls[0]: Invalid value: "a.b": sysctl overlaps with a.*'])
  })

  it('prints its rules', async () => {
    const cases = new KindCases(podSecurityPolicyResource)
    await cases.create(of({ privileged: true, volumes: ['secret', 'nfs'], allowedCapabilities: ['A', 'B'] }))
    expect(cases.cells()).to.deep.equal(['x', 'true', 'A,B', 'RunAsAny', 'RunAsAny', 'RunAsAny', 'RunAsAny', false, 'secret,nfs'])
  })
})

import { expect } from 'chai'
import type { Json } from '../../../../src/api/meta/object.ts'
import { typesOf } from '../../../../src/catalog/types.ts'
import { goJsonDifference } from '../../../../src/schema/go/go-json-diff.ts'

const difference = (type: string, old: Json, next: Json): string[] => goJsonDifference(typesOf('1.36').type(type), old, next).split('\n')

describe('goJsonDifference', () => {
  it("shows a pod's spec in kube-apiserver's internal form", () => {
    const spec = { containers: [], nodeSelector: { a: '<b>' }, hostNetwork: true }
    expect(difference('core.PodSpec', spec, { containers: [], nodeSelector: {}, hostnameOverride: 'h' })).to.deep.equal([
      '@@ -7,14 +7,12 @@',
      '  "TerminationGracePeriodSeconds": null,',
      '  "ActiveDeadlineSeconds": null,',
      '  "DNSPolicy": "",',
      '- "NodeSelector": {',
      '-  "a": "\\u003cb\\u003e"',
      '- },',
      '+ "NodeSelector": {},',
      '  "ServiceAccountName": "",',
      '  "AutomountServiceAccountToken": null,',
      '  "NodeName": "",',
      '  "SecurityContext": {',
      '-  "HostNetwork": true,',
      '+  "HostNetwork": false,',
      '   "HostPID": false,',
      '   "HostIPC": false,',
      '   "ShareProcessNamespace": null,',
      '@@ -54,6 +52,6 @@',
      '  "SchedulingGates": null,',
      '  "ResourceClaims": null,',
      '  "Resources": null,',
      '- "HostnameOverride": null,',
      '+ "HostnameOverride": "h",',
      '  "SchedulingGroup": null',
      ' }',
      '',
    ])
  })

  it('shows metadata among the fields, as Go embeds them', () => {
    const claim = { metadata: { name: 'c', labels: { a: 'b' } }, spec: {}, status: {} }
    expect(
      difference('core.PersistentVolumeClaim', claim, { ...claim, metadata: { name: 'c', labels: { a: 'c' } } }).slice(0, 7),
    ).to.deep.equal(['@@ -1,7 +1,7 @@', ' {', '  "name": "c",', '  "labels": {', '-  "a": "b"', '+  "a": "c"', '  },'])
  })

  it('does not compare values that are too long', () => {
    const spec = (image: string): Json => ({ containers: Array.from({ length: 300 }, (_, i) => ({ name: `c${i}`, image })) })
    expect(difference('core.PodSpec', spec('a'), spec('b'))).to.deep.equal(['There is too much to compare to tell what differs.', ''])
  })
})

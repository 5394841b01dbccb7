import { expect } from 'chai'
import type { AdmissionPlugin } from '../../../../src/admission/chain.ts'
import { withoutReviews } from '../../../../src/admission/webhooks/reviews.ts'
import type { AdmissionRequest } from '../../../../src/registry/types.ts'
import { featuresIn } from '../../../support/hook-context.ts'

const requestFor = (group: string, plural: string): AdmissionRequest =>
  ({ served: { version: { group, names: { plural } } } }) as unknown as AdmissionRequest
const every: AdmissionPlugin = { name: 'ValidatingAdmissionWebhook', handles: () => true }

describe('webhooks of reviews', () => {
  const reviews: [group: string, plural: string][] = [
    ['authentication.k8s.io', 'tokenreviews'],
    ['authentication.k8s.io', 'selfsubjectreviews'],
    ['authorization.k8s.io', 'subjectaccessreviews'],
    ['authorization.k8s.io', 'selfsubjectrulesreviews'],
  ]

  it('do not run since 1.37', () => {
    for (const [group, plural] of reviews) {
      expect(withoutReviews(every, featuresIn('1.36')).handles(requestFor(group, plural)), plural).to.equal(true)
      expect(withoutReviews(every, featuresIn('1.37')).handles(requestFor(group, plural)), plural).to.equal(false)
    }
  })

  it('are no other plugins', () => {
    const other: AdmissionPlugin = { ...every, name: 'Other' }
    expect(withoutReviews(other, featuresIn('1.37'))).to.equal(other)
  })

  it('still run for other kinds', () => {
    for (const [group, plural] of [
      ['', 'pods'],
      ['example.com', 'tokenreviews'],
      ['admissionregistration.k8s.io', 'validatingadmissionpolicies'],
    ] as const)
      expect(withoutReviews(every, featuresIn('1.37')).handles(requestFor(group, plural)), plural).to.equal(true)
    expect(withoutReviews({ ...every, handles: () => false }, featuresIn('1.37')).handles(requestFor('', 'pods'))).to.equal(false)
  })
})

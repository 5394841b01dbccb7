import { expect } from 'chai'
import { type Release, wordingOf } from '../../../src/lifecycle/release.ts'
import { replicationControllerResource } from '../../../src/resources/core/replication-controller/definition.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { definitionIn, featuresIn } from '../../support/hook-context.ts'
import { TestRegistry } from '../../support/test-registry.ts'

/**
 * Returns the messages of the causes of an invalid controller, whose owner has no kind and whose container limits an
 * unknown resource.
 */
async function messagesIn(release: Release): Promise<string[]> {
  const features = featuresIn(release)
  const t = new TestRegistry([definitionIn(replicationControllerResource, features)], undefined, features)
  const owner = { apiVersion: 'v1', kind: '', name: 'o', uid: 'u' }
  const resources = { limits: { 'x y': '1' } }
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i', resources }] } }
  const controller = {
    kind: 'ReplicationController',
    apiVersion: 'v1',
    metadata: { name: 'r', ownerReferences: [owner] },
    spec: { template },
  }
  const error = await t
    .access()
    .create({ group: '', resource: 'replicationcontrollers' }, 'ns', controller as AnyObject)
    .catch(reason => reason)
  const told = error.worded(wordingOf(release))
  return told.status.details.causes.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`)
}

describe('error messages by release', () => {
  it('show values in the syntax of Go up to 1.33', async () => {
    const messages = await messagesIn('1.33')
    expect(messages.some(text => text.startsWith('spec.template.spec.containers[0].resources.limits[x y]: Invalid value: x y:'))).to.equal(
      true,
    )
  })

  it('show values as JSON since 1.34', async () => {
    const messages = await messagesIn('1.34')
    expect(
      messages.some(text => text.startsWith('spec.template.spec.containers[0].resources.limits[x y]: Invalid value: "x y":')),
    ).to.equal(true)
  })

  it('have the message of the release for a missing member', async () => {
    expect(await messagesIn('1.33')).to.include('metadata.ownerReferences.kind: Invalid value: "": kind must not be empty')
    expect(await messagesIn('1.34')).to.include('metadata.ownerReferences.kind: Invalid value: "": must not be empty')
  })
})

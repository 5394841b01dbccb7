import { expect } from 'chai'
import { versionedResourceOf } from '../../../src/admission/attributes.ts'
import { inMatchedVersion, inRequestVersion } from '../../../src/admission/matched.ts'
import { admissionRequest } from '../../support/admission-request.ts'
import { failureText, link, linkResource, linkVersion, reviewed } from '../../support/conversion.ts'
import { widgetResource } from '../../support/test-registry.ts'

const links = linkResource(review => reviewed(review))
const [v1, v2] = [linkVersion(links, 'v1'), linkVersion(links, 'v2')]
const old = link('v1', 'a', { hostPort: 'h:1' })
const object = link('v1', 'a', { hostPort: 'h:2' })

describe('objects of a request in the matched version', () => {
  it('are converted by the conversion webhook in one call, and back', async () => {
    const request = admissionRequest(links, object, { operation: 'UPDATE', old })
    const seen = await inMatchedVersion(request, versionedResourceOf(v2, ''))
    expect([seen.object, seen.old]).to.deep.equal([link('v2', 'a', { host: 'h', port: '2' }), link('v2', 'a', { host: 'h', port: '1' })])
    expect(await inRequestVersion(request, seen.object!)).to.deep.equal(object)
    const deletion = await inMatchedVersion(
      admissionRequest(links, object, { operation: 'DELETE', object: undefined, old }),
      versionedResourceOf(v2, ''),
    )
    expect([deletion.object, deletion.old]).to.deep.equal([undefined, link('v2', 'a', { host: 'h', port: '1' })])
  })

  it("are unchanged in the request's version, for subresource kinds, and for kinds without conversion webhook", async () => {
    const request = admissionRequest(links, object)
    expect(await inMatchedVersion(request, versionedResourceOf(v1, ''))).to.equal(request)
    const scaled = admissionRequest(links, object, { subresource: 'scale' })
    expect(await inMatchedVersion(scaled, versionedResourceOf(v2, 'scale'))).to.equal(scaled)
    const widget = admissionRequest(widgetResource(), object)
    expect(await inMatchedVersion(widget, versionedResourceOf(v2, ''))).to.equal(widget)
    expect(await inRequestVersion(widget, object)).to.equal(object)
  })

  it('report conversion errors as upstream', async () => {
    const broken = linkResource(() => ({}))
    expect(
      await failureText(inMatchedVersion(admissionRequest(broken, object), versionedResourceOf(linkVersion(broken, 'v2'), ''))),
    ).to.equal(
      '500 InternalError: Internal error occurred: conversion webhook for example.com/v1, Kind=Link failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=',
    )
  })
})

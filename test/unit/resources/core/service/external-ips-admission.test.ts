import { expect } from 'chai'
import { createServiceResource } from '../../../../../src/resources/core/service/definition.ts'
import { denyServiceExternalIPs } from '../../../../../src/resources/core/service/external-ips-admission.ts'
import { admissionRequest, refusal } from '../../../../support/admission-request.ts'

const serviceResource = createServiceResource()
const service = (...externalIPs: string[]): object => ({
  metadata: { name: 's' },
  spec: { ...(externalIPs.length > 0 && { externalIPs }) },
})
const ask = (object: object, old?: object) =>
  refusal(
    denyServiceExternalIPs.validate?.(admissionRequest(serviceResource, object, { name: 's', ...(old && { operation: 'UPDATE', old }) })),
  )
const DENIED = 'services "s" is forbidden: Use of external IPs is denied by admission control'

describe('DenyServiceExternalIPs', () => {
  it('allows services to keep external IPs, and to add none', async () => {
    expect(await ask(service())).to.equal(undefined)
    expect(await ask(service('1.2.3.4'))).to.equal(DENIED)
    expect(await ask(service('1.2.3.4'), service('1.2.3.5', '1.2.3.4'))).to.equal(undefined)
    expect(await ask(service('1.2.3.4', '1.2.3.5'), service('1.2.3.4'))).to.equal(DENIED)
    expect(await ask(service(), service('1.2.3.4'))).to.equal(undefined)
  })
})

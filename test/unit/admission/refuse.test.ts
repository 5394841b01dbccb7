import { expect } from 'chai'
import { isAbout } from '../../../src/admission/refuse.ts'
import type { AdmissionRequest } from '../../../src/registry/types.ts'
import { TestRegistry, widgetResource } from '../../support/test-registry.ts'

const t = new TestRegistry()
const core = widgetResource({ version: { group: '' } })
const ofGroup: AdmissionRequest = { ...t.target('a'), operation: 'CREATE' }
const ofCore: AdmissionRequest = { ...ofGroup, served: { definition: core, version: core.hub } }

describe('isAbout', () => {
  const cases: [request: AdmissionRequest, resource: string, subresource: string, is: boolean][] = [
    [ofGroup, 'widgets.example.io', '', true],
    [ofGroup, 'widgets', '', false],
    [ofGroup, 'widgets.example.com', '', false],
    [ofGroup, 'widgets-example.io', '', false],
    [ofGroup, 'widgetsexample.io', '', false],
    [ofGroup, 'gadgets.example.io', '', false],
    [ofGroup, 'widgets.example.io', 'status', false],
    [{ ...ofGroup, subresource: 'status' }, 'widgets.example.io', 'status', true],
    [ofCore, 'widgets', '', true],
    [ofCore, 'widgets.', '', false],
    [ofCore, 'widgets.example.io', '', false],
  ]
  for (const [request, resource, subresource, is] of cases)
    it(`${request.served.version.group}/widgets/${request.subresource} ${is ? 'is' : 'is not'} ${resource}/${subresource}`, () => {
      expect(isAbout(request, resource, subresource)).to.equal(is)
    })
})

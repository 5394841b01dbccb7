import { expect } from 'chai'
import { withoutWrites } from '../../../../src/server/filters/without-writes.ts'
import { filterContext, runFilter } from '../../../support/filter-context.ts'

describe('withoutWrites', () => {
  const answered = (request: string): Promise<unknown> => {
    const [method = '', url = ''] = request.split(' ')
    return runFilter(withoutWrites, filterContext({ method, url })).then(
      () => 'passes',
      (error: unknown) => (error as { status: { code: number; reason: string } }).status,
    )
  }

  const passing = [
    'GET /api/v1/pods',
    'GET /api/v1/pods?watch=1',
    'GET /api/v1/namespaces/a/pods/b/status',
    'HEAD /api/v1/namespaces/a/pods/b',
    'GET /openapi/v3',
    'HEAD /readyz',
    'POST /console/sessions',
    'POST /binnacle/v1/console/links',
    'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    'POST /apis/authentication.k8s.io/v1/tokenreviews',
  ]
  for (const request of passing)
    it(`allows ${request}`, async () => {
      expect(await answered(request)).to.equal('passes')
    })

  const refused = [
    'POST /api/v1/namespaces/a/pods',
    'POST /api/v1/namespaces/a/pods?dryRun=All',
    'PUT /api/v1/namespaces/a/pods/b/status',
    'PATCH /api/v1/namespaces/a/pods/b',
    'DELETE /api/v1/namespaces/a/pods/b',
    'DELETE /api/v1/namespaces/a/pods',
    'POST /api/v1/namespaces/a/pods/b/eviction',
    'POST /api/v1/namespaces/a/serviceaccounts/b/token',
    'POST /apis/metrics.k8s.io/v1/nodes',
    'POST /binnacle/branches/a',
    'POST /console',
    'DELETE /healthz',
    'GET /api/v1/namespaces/a/pods/b/log',
    'GET /api/v1/namespaces/a/pods/b/exec?command=ls',
    'GET /api/v1/namespaces/a/services/b/proxy/path',
    'GET /api/v1/nodes/n/proxy/metrics',
    'GET /api/v1/proxy/nodes/n',
  ]
  for (const request of refused)
    it(`refuses ${request}`, async () => {
      expect(await answered(request)).to.include({ code: 405, reason: 'MethodNotAllowed', status: 'Failure' })
    })
})

import { expect } from 'chai'
import { CatalogSnapshot } from '../../../src/catalog/catalog.ts'
import { notServed } from '../../../src/endpoints/not-found.ts'
import { PlainTextError } from '../../../src/meta/plain-text-error.ts'
import type { StatusError } from '../../../src/meta/status.ts'
import { customResource } from '../../support/custom-resource.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

const snapshot = new CatalogSnapshot(1, [...servedBuiltins(), customResource()])
const told = (path: string, isComplete = true): string => {
  const error: StatusError | PlainTextError = notServed(path, snapshot, isComplete)
  return error instanceof PlainTextError ? error.message : `${error.status.reason}`
}

describe('a path without a handler', () => {
  const routed = [
    '/api',
    '/api/v2',
    '/api/v1/none',
    '/api//v1',
    '/api/V1',
    '/apis',
    '/apis/',
    '/apis/apps/v9',
    '/apis/apps/v1/none',
    '/apis/apps/v1beta1/deployments',
  ]
  for (const path of routed)
    it(`gets a Status below built-in groups: ${path}`, () =>
      expect([told(path), told(path, false)]).to.deep.equal(['NotFound', 'NotFound']))

  const other = [
    '/',
    '/none',
    '//api/v1',
    '/API/v1',
    '/apix',
    '/apis//',
    '/apis//v1',
    '/apis/none.dev',
    '/apis/none.dev/v1/x',
    '/apis/appsx/v1',
    '/apis/extensions/v1beta1/ingresses',
  ]
  const custom = ['/apis/example.io/v2', '/apis/example.io/v2/widgets', '/apis/example.io/v1/none', '/apis/example.io/v1/proxy/widgets/x']
  for (const path of [...other, ...custom])
    it(`gets plain text elsewhere, or a Status before all custom kinds are served: ${path}`, () =>
      expect([told(path), told(path, false)]).to.deep.equal(['404 page not found', 'ServiceUnavailable']))
})

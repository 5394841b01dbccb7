import { parseDeclarations } from '../declarations.ts'

/**
 * Authorization checks of resources and paths, and on behalf of a service account (since 1.27). Expressions with a
 * variable `authorizer` can check further permissions of the request's user:
 * `authorizer.group('apps').resource('deployments').namespace('a').check('delete').allowed()`. A check is built step by
 * step. Only `check` calls the authorizer, and only it is expensive: it costs 350,000 units. Source:
 * kubernetes/apiserver, pkg/cel/library/authz.go.
 */
export const AUTHZ = parseDeclarations(`
  decision_allowed: .allowed(kubernetes.authorization.Decision) -> bool
  pathcheck_check: .check(kubernetes.authorization.PathCheck, string) -> kubernetes.authorization.Decision
  resourcecheck_check: .check(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.Decision
  decision_error: .error(kubernetes.authorization.Decision) -> string
  decision_errored: .errored(kubernetes.authorization.Decision) -> bool
  authorizer_group: .group(kubernetes.authorization.Authorizer, string) -> kubernetes.authorization.GroupCheck
  resourcecheck_name: .name(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
  resourcecheck_namespace: .namespace(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
  authorizer_path: .path(kubernetes.authorization.Authorizer, string) -> kubernetes.authorization.PathCheck
  decision_reason: .reason(kubernetes.authorization.Decision) -> string
  groupcheck_resource: .resource(kubernetes.authorization.GroupCheck, string) -> kubernetes.authorization.ResourceCheck
  authorizer_serviceaccount: .serviceAccount(kubernetes.authorization.Authorizer, string, string) -> kubernetes.authorization.Authorizer
  resourcecheck_subresource: .subresource(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
`)

import type { Role } from '../../../api/rbac/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition } from '../../../catalog/definition.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import { authorizeRole, type EscalationServices } from '../shared/escalation.ts'
import { validateRoleRules } from '../shared/rules-validation.ts'
import { rbacVersion } from '../shared/version.ts'

const v1 = rbacVersion<Role>('Role', { plural: 'roles', singular: 'role' })

/**
 * Permissions within one namespace. An update reports errors in the rules twice, as upstream does. `escalation` is
 * undefined if any user may grant any permission. Source of its rules: pkg/registry/rbac/role.
 */
export const createRoleResource = (escalation?: EscalationServices): ResourceDefinition =>
  defineResource<Role>({
    scope: 'Namespaced',
    versions: [v1],
    hub: v1,
    storage: { prefix: 'roles', version: v1 },
    strategy: {
      allowCreateOnUpdate: true,
      metaRounds: ['whole', 'whole', 'change'],
      validateName: nameIsPathSegment,
      ...(escalation && { authorize: authorizeRole(escalation) }),
      *validate(next, old) {
        const errors = yield* validateRoleRules(next.rules, true)
        return old ? [...errors, ...errors] : errors
      },
    },
  })

import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { scaleSubresource } from '../../autoscaling/scale/view.ts'
import { STATUS_VERBS } from '../../strategy-parts.ts'
import { appsVersion } from '../shared/kind.ts'
import { scaleSelector } from '../shared/scale-selector.ts'
import { setDeploymentDefaults } from './defaults.ts'
import { deploymentStatusStrategy, deploymentStrategy } from './strategy.ts'
import { deploymentTable } from './table.ts'

const v1: Version = {
  ...appsVersion('Deployment', { plural: 'deployments', singular: 'deployment', shortNames: ['deploy'] }),
  setDefaults: setDeploymentDefaults,
  table: deploymentTable,
  subresources: { scale: scaleSubresource(scaleSelector), status: { verbs: STATUS_VERBS, strategy: deploymentStatusStrategy } },
}

export const deploymentResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'deployments', version: v1 },
  strategy: deploymentStrategy,
}

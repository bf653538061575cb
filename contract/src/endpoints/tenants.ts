import type { Endpoint } from '../endpoint.ts'
import * as tenant from '../schemas/tenant.ts'

/** Tenants of the caller. */
export const tenantEndpoints = {
  listTenants: {
    method: 'GET',
    path: '/api/v1/tenants',
    access: 'session',
    summary: "List the caller's tenants",
    responses: { 200: tenant.TenantList },
  },
  createTenant: {
    method: 'POST',
    path: '/api/v1/tenants',
    access: 'session',
    summary: 'Create a tenant; the caller becomes its owner',
    body: tenant.NameTenant,
    responses: { 201: tenant.Tenant },
    errors: [400, 409],
  },
  renameTenant: {
    method: 'PUT',
    path: '/api/v1/tenants/{tenant_id}',
    access: 'session',
    summary: 'Rename a tenant that the caller owns',
    body: tenant.NameTenant,
    responses: { 200: tenant.Tenant },
    errors: [400, 403, 404],
  },
  switchTenant: {
    method: 'POST',
    path: '/api/v1/tenants/switch',
    access: 'session',
    summary: 'Choose the tenant to work in',
    body: tenant.SwitchTenant,
    responses: { 200: tenant.CurrentTenant },
    errors: [400],
  },
} as const satisfies Record<string, Endpoint>

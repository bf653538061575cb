import { GET, POST, PUT } from '../endpoint.ts'
import * as tenant from '../schemas/tenant.ts'

/** Tenants of the caller. */
export const tenantEndpoints = {
  listTenants: GET('/api/v1/tenants', 'session', {
    summary: "List the caller's tenants",
    answer: tenant.TenantList,
  }),
  createTenant: POST('/api/v1/tenants', 'session', {
    touch: 'gives_nothing',
    summary: 'Create a tenant; the caller becomes its owner',
    body: tenant.NameTenant,
    created: tenant.Tenant,
    errors: [409],
  }),
  renameTenant: PUT('/api/v1/tenants/{tenant_id}', 'session', {
    touch: 'gives_nothing',
    summary: 'Rename a tenant that the caller owns',
    body: tenant.RenameTenant,
    errors: [409],
    answer: tenant.Tenant,
  }),
  switchTenant: POST('/api/v1/tenants/switch', 'session', {
    touch: 'gives_nothing',
    summary: 'Choose the tenant to work in',
    body: tenant.SwitchTenant,
    answer: tenant.CurrentTenant,
  }),
}

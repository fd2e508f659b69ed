/*
 * dpsens.c
 *		Entry point of the library: the only file that knows all modules.
 *
 * _PG_init also runs in a session that was not preloaded, at the first call of
 * a C function.  Such a session gets the settings, the label provider and the
 * functions that need no protected data, but no hooks: half of them would be
 * missing from statements that are already planned.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/receipt.h"
#include "glue/settings.h"
#include "guard/hooks.h"
#include "ledger/journal/change.h"
#include "ledger/ledger.h"
#include "model/train/progress.h"

PG_MODULE_MAGIC;

bool		dps_preloaded = false;

void		_PG_init(void);

void
_PG_init(void)
{
	dps_settings_init();
	dps_annotation_init();
	dps_receipt_init();
	dps_change_init();
	if (process_shared_preload_libraries_in_progress)
	{
		dps_preloaded = true;
		dps_ledger_init();
		dps_progress_init();
		dps_hooks_init();
	}
}

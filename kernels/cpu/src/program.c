// From operations to the stages of one run, see program.h. Knows nothing of what the operations compute.
#include "program.h"

#include "scratch.h"

enum { MAX_STAGES = DI_LINEAR_MAX_STAGES }; // of one operation of any kind

// The operation's stages; how many, or -1 if memory is short.
static int plan(const di_operation *operation, int num_workers, di_scratch *scratch, di_stage *stages) {
    switch (operation->kind) {
    case DI_OPERATION_EMBED: stages[0] = di_embed_stage(operation->descriptor); return 1;
    case DI_OPERATION_LINEAR: return di_linear_plan(operation->descriptor, num_workers, scratch, stages);
    }
    return 0;
}

int di_program_run(di_pool *pool, di_scratch *scratch, const di_operation *operations, int num_operations) {
    int num_stages = 0, num_workers = di_pool_num_workers(pool);
    di_stage *stages = di_scratch_stages(scratch, num_operations * MAX_STAGES);
    if (stages == 0) return -1;
    for (int i = 0; i < num_operations; i++) {
        int added = plan(&operations[i], num_workers, scratch, stages + num_stages);
        if (added < 0) return -1;
        num_stages += added;
    }
    di_pool_run(pool, stages, num_stages);
    return 0;
}

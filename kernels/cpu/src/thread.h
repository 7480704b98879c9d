// Threads, a lock with a condition, and the clock, of POSIX or Windows, under one set of names.
#ifndef DI_THREAD_H
#define DI_THREAD_H

#include <stdint.h>

#if defined(_WIN32)

#include <windows.h>

typedef HANDLE di_thread;
typedef SRWLOCK di_mutex;
typedef CONDITION_VARIABLE di_condition;

static inline void di_mutex_init(di_mutex *mutex) { InitializeSRWLock(mutex); }
static inline void di_mutex_lock(di_mutex *mutex) { AcquireSRWLockExclusive(mutex); }
static inline void di_mutex_unlock(di_mutex *mutex) { ReleaseSRWLockExclusive(mutex); }
static inline void di_mutex_free(di_mutex *mutex) { (void)mutex; }
static inline void di_condition_init(di_condition *condition) { InitializeConditionVariable(condition); }
static inline void di_condition_wait(di_condition *condition, di_mutex *mutex) {
    SleepConditionVariableSRW(condition, mutex, INFINITE, 0);
}
static inline void di_condition_wake_all(di_condition *condition) { WakeAllConditionVariable(condition); }
static inline void di_condition_free(di_condition *condition) { (void)condition; }

#define DI_THREAD_FUNCTION(name, argument) static DWORD WINAPI name(LPVOID argument)
#define DI_THREAD_RESULT 0
static inline int di_thread_start(di_thread *thread, LPTHREAD_START_ROUTINE function, void *argument) {
    *thread = CreateThread(NULL, 0, function, argument, 0, NULL);
    return *thread != NULL;
}
static inline void di_thread_join(di_thread thread) {
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}
static inline void di_thread_yield(void) { SwitchToThread(); }
// A thread of higher priority takes the core by itself here.
static inline void di_thread_give_way(void) {}
static inline void di_thread_lower_priority(void) {
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}
static inline int64_t di_clock_ns(void) {
    LARGE_INTEGER count, frequency;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (int64_t)((double)count.QuadPart * (1e9 / (double)frequency.QuadPart));
}

#else

#include <pthread.h>
#include <sched.h>
#include <time.h>
#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

typedef pthread_t di_thread;
typedef pthread_mutex_t di_mutex;
typedef pthread_cond_t di_condition;

static inline void di_mutex_init(di_mutex *mutex) { pthread_mutex_init(mutex, 0); }
static inline void di_mutex_lock(di_mutex *mutex) { pthread_mutex_lock(mutex); }
static inline void di_mutex_unlock(di_mutex *mutex) { pthread_mutex_unlock(mutex); }
static inline void di_mutex_free(di_mutex *mutex) { pthread_mutex_destroy(mutex); }
static inline void di_condition_init(di_condition *condition) { pthread_cond_init(condition, 0); }
static inline void di_condition_wait(di_condition *condition, di_mutex *mutex) { pthread_cond_wait(condition, mutex); }
static inline void di_condition_wake_all(di_condition *condition) { pthread_cond_broadcast(condition); }
static inline void di_condition_free(di_condition *condition) { pthread_cond_destroy(condition); }

#define DI_THREAD_FUNCTION(name, argument) static void *name(void *argument)
#define DI_THREAD_RESULT 0
static inline int di_thread_start(di_thread *thread, void *(*function)(void *), void *argument) {
    return pthread_create(thread, 0, function, argument) == 0;
}
static inline void di_thread_join(di_thread thread) { pthread_join(thread, 0); }
static inline void di_thread_yield(void) { sched_yield(); }
static inline void di_thread_give_way(void) { sched_yield(); }
// Linux counts niceness per thread; elsewhere POSIX has none per thread, and the thread stays as it is.
static inline void di_thread_lower_priority(void) {
#if defined(__linux__)
    id_t thread_id = (id_t)syscall(SYS_gettid);
    setpriority(PRIO_PROCESS, thread_id, getpriority(PRIO_PROCESS, thread_id) + 1);
#endif
}
static inline int64_t di_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif

// Tell the processor that this is a spin loop.
static inline void di_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
